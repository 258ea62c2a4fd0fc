# System calls of the recorder fail: the program does not notice, and the experiment says what was not recorded. `EVERY=1` tries
# every call with every error that it can have (the default: some of them, spread evenly); `RUNS=n` limits each error to n calls.
. "$(dirname "$0")/lib.sh"

inject=$programs/inject
target=$programs/ft_faults
everything=(-p hi -H on -s all -i on -w on --functrace -S 0.05 -A off)
runs=${RUNS:-5}
fourth=1
# When all calls from one on fail, neighbouring starts differ little: every fourth is enough.
[ -z "${EVERY:-}" ] || runs=1000000 fourth=4

# reported: what the experiment has of what happened: blocks and calls of work
reported()
{
	limited 90 "$xer_print" -header all -metrics i.heapalloccnt:i.fcalls:name -functions t.er >report.txt 2>report.err
	echo $? >report.status
	awk '$NF == "work" { print $1, $2; exit }' report.txt
}

# untold: what is missing in the experiment without a message
untold()
{
	local got
	[ -e t.er ] || { [ -s messages ] || echo "no experiment, and no word of it; "; return; }
	got=$(reported)
	case $(<report.status) in
	0) ;;
	1) [ -s report.err ] || echo "xer_print fails without a word; " ;;
	*) echo "xer_print ends with $(<report.status); " ;;
	esac
	[ "$got" != "500 5" ] || return
	grep -qE '^Warnings +[^n]|^Status +(died|not started|executed)|^# quality.* [1-9][0-9]* lost' report.txt || grep -q . report.err ||
		echo "work has '$got', and nobody says so; "
}

# harmed: how the program differs from the bare one
harmed()
{
	[ "$1" = 7 ] || printf 'exit status %s; ' "$1"
	cmp -s ../bare.out out || printf 'other output (%s); ' "$(diff ../bare.out out | grep '^[<>]' | head -3 | tr '\n' ' ')"
	cmp -s ../bare.left left || printf 'other file; '
	! grep -v '^Creating experiment\|^xcollect: ' err | grep -q . || printf 'says: %s; ' "$(head -2 err)"
}

# attempt NAME WHO ERRNO FIRST COUNT: one run with failing calls; prints what is wrong
attempt()
{
	limited 90 "$inject" "$2" log "$3" "$4" "$5" "$xcollect" "${everything[@]}" -o t.er "$target" >out 2>err
	local status=$? wrong
	grep '^xcollect: ' err >messages
	wrong=$(harmed $status; untold)
	[ -z "$wrong" ] || echo "$wrong (call: $(sed -n "$4"p log | cut -d ' ' -f 2))"
}

"$inject" libcollector log 28 0 1 true
[ $? != 120 ] || { skip "system calls of the recorder fail" "no tracing here"; exit; }
mkdir bare && (cd bare && "$target" >../bare.out 2>../bare.err; mv left ../bare.left)
mkdir whole && cd whole || exit 1
"$inject" libcollector log 28 0 1 "$xcollect" "${everything[@]}" -o t.er "$target" >out 2>err
is "the program under the tracer ends as it does" "7" $?
is "its experiment has all of its work" "500 5" "$(reported)"
cd .. || exit 1

for pair in "${errors[@]}"; do
	error=${pair#*=}
	mkdir count && (cd count && "$inject" libcollector ../counted "$error" 0 1 "$xcollect" "${everything[@]}" -o t.er "$target" >/dev/null 2>&1)
	rm -rf count
	# EACCES: the first call of each kind, as a security module or a filter forbids it.
	[ "$error" != 13 ] || awk -v row="first.$error" '!seen[$2]++ { print row "." $1, "libcollector 13", $1, 1 }' counted
	for first in $(spread "$(wc -l <counted)" "$runs"); do
		echo "once.${pair%=*}.$first libcollector $error $first 1"
		[ $((first % fourth)) != 0 ] || echo "from.${pair%=*}.$first libcollector $error $first 0"
	done
done >plan
planned "failing calls harm nothing, and losses are told" attempt

# ---- address space

# space COMMAND...: the most address space that grep had, kB
space() { "$@" grep VmPeak /proc/self/status 2>/dev/null | awk '{ print $2 }'; }

within "the recorder takes little of the address space, kB" 1000 44000 $(($(space "$xcollect" "${everything[@]}" -o space.er) - $(space env)))
mkdir narrow && cd narrow || exit 1
# malloc would reserve 128 MB for a thread: that much is not to be had either.
(ulimit -v 32768; "$target" >../bare.out 2>../bare.err)
rm left
(ulimit -v 32768; "$xcollect" "${everything[@]}" -o t.er "$target" >out 2>err)
is "a program of 32 MB address space ends as it does" "7" $?
is "as if it were not recorded" "" "$(harmed 7)"
is "all of its blocks are recorded" "500" "$(reported | cut -d ' ' -f 1)"
contains "that its functions are not traced is told" "functrace" report.txt
