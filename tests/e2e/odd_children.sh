# Children that are made, and programs that are executed, in allowed but rare ways: they run as without a recorder, and are
# recorded.
. "$(dirname "$0")/lib.sh"

odd_children=$programs/odd_children

# same CLAIM NAMES WAY [ARGUMENT]: output and status are as without recording; the descendants' experiments are NAMES.
same()
{
	local claim=$1 names=$2 plain recorded
	shift 2
	limited 60 "${as[@]}" "$odd_children" "$@" >plain.out 2>&1
	plain=$?
	rm -rf "$1.er"
	record "$1" "${options[@]}" -A off -- "${as[@]}" "$odd_children" "$@"
	recorded=$?
	is "$claim: exit status" "$plain" "$recorded"
	is "$claim: output" "$(sort plain.out)" "$(sort "$1.out")"
	[ "$names" = - ] || is "$claim: names" "$names" "$(cd "$1.er" && ls -d _* 2>/dev/null | sed 's/\.er$//' | sort -V | tr '\n' ' ' | sed 's/ $//')"
}

# worked NAME COUNT: leaf_work has allocated COUNT blocks in the whole tree
worked()
{
	report "$1" -metrics i.heapalloccnt:name -functions
	is "$1: what the leaves did" "$2" "$(value "$1" leaf_work 1)"
}

# ended CLAIM NAME COUNT: COUNT logs say that their process ended
ended()
{
	is "$1" "$3" "$(find "$2.er" -name log.xml -exec grep -l 'kind="exit"' {} + | wc -l)"
}

as=()
options=(-p off -H on)
same "a program spawned while another thread is in system()" "_c1 _c1_f1_x1 _c2" two_threads
same "calls that are refused" - refused
ended "after calls that are refused" refused 1
same "a path of 3000 bytes" "_x1" long_path
worked long_path 10
same "an LD_PRELOAD that is empty" "_x1" empty_preload
same "60 children of one another" - nested 60
is "60 children of one another have their experiments" 60 "$(ls -d nested.er/_* | wc -l)"
ended "and all end" nested 61
worked nested 10
same "a limit of 24 files" "_f1" few_files
worked few_files 20
# A jump out of a signal handler may leave the recorder's code at any instruction.
same "jumps out of signal handlers" "" jumper 2
ended "after jumps out of signal handlers, the log goes on" jumper 1

options=(-p hi -H on -s all -i on -w on)
same "small stacks" "_f1 _f2 _f3" small_stacks
worked small_stacks 30

# A umask that takes all permissions away only matters to users who are not root.
options=(-p off -H on)
if [ "$(id -u)" != 0 ]; then
	same "a umask of 0777" "_f1" no_rights
	worked no_rights 10
elif have setpriv; then
	for_everyone
	cp "$odd_children" "$everyones/odd_children" && chmod 755 "$everyones/odd_children"
	(cd "$everyones" && exec setpriv --reuid 65534 --regid 65534 --clear-groups bin/xcollect -o r.er -p off -H on -A off ./odd_children no_rights) \
		>no_rights.out 2>no_rights.err
	is "a umask of 0777: output" "status 3" "$(cat no_rights.out)"
	mv "$everyones/r.er" no_rights.er
	worked no_rights 10
else
	skip "a umask of 0777" "only root can become somebody without rights, by setpriv"
fi

# The program closes all descriptors, the recorder's too. Once it has printed something, readers must see that it still runs.
"$xcollect" -o closer.er -p off -A off "$odd_children" closer >closer.out 2>closer.err &
closer=$!
for _ in {1..100}; do
	[ -s closer.out ] && break
	sleep 0.05
done
report closer -header all
kill "$closer"
wait "$closer" 2>/dev/null
contains "a program that has closed all descriptors is running" '^Status +running' closer.txt
