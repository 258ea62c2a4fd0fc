# System calls of the recorder fail: the program does not notice, and what is not recorded is told. `EVERY=1` tries every call with
# every error that it can have (as it is: some of them, spread evenly); `RUNS=n` limits each error to n calls.
. "$(dirname "$0")/lib.sh"

inject=$programs/inject
target=$programs/ft_faults
everything=(-p hi -H on -s all -i on --functrace -S 0.05 -A off)
runs=${RUNS:-5}
fourth=1
# From a call on, those behind it fail anyhow: of all calls, every fourth is enough.
[ -z "${EVERY:-}" ] || runs=1000000 fourth=4
# errno numbers, as the program that injects takes them
errors=(ENOSPC=28 EIO=5 EMFILE=24 ENFILE=23 ENOMEM=12 EINTR=4 EACCES=13 EDQUOT=122)

# reported: what the experiment says of what happened: blocks and calls of work
reported()
{
	timeout -k 2 30 "$xer_print" -header -metrics i.heapalloccnt:i.fcalls:name -functions t.er >report.txt 2>report.err
	echo $? >report.status
	awk '$NF == "work" { print $1, $2; exit }' report.txt
}

# untold: what is wrong with the experiment, if it has not everything
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

# attempt NAME WHO ERRNO FIRST COUNT: a run with failing calls; a line of what is wrong
attempt()
{
	local status wrong
	mkdir "$1" && cd "$1" || return
	timeout -k 2 30 "$inject" "$2" log "$3" "$4" "$5" "$xcollect" "${everything[@]}" -o t.er "$target" >out 2>err </dev/null
	status=$?
	grep '^xcollect: ' err >messages
	wrong=$(harmed $status; untold)
	cd .. || return
	echo run >>"count.$BASHPID"
	if [ -z "$wrong" ]; then
		rm -rf "$1"
	else
		echo "$1 ($(sed -n "$4"p "$1/log" | cut -d ' ' -f 2)): $wrong"
	fi
}

# some COUNT: numbers from 1 to COUNT, at most $runs, spread evenly
some()
{
	awk -v n="$1" -v runs="$runs" 'BEGIN { k = n < runs ? n : runs; for (i = 1; i <= k; i++) print int((i - 0.5) * n / k) + 1 }'
}

# share WORKER: every second attempt
share()
{
	local turn=0
	while read -r name who error first count; do
		((turn++ % 2 != $1)) || attempt "$name" "$who" "$error" "$first" "$count"
	done <plan >"wrong.$1" 2>&1
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
	for first in $(some "$(wc -l <counted)"); do
		echo "once.${pair%=*}.$first libcollector $error $first 1"
		[ $((first % fourth)) != 0 ] || echo "from.${pair%=*}.$first libcollector $error $first 0"
	done
done >plan
share 0 &
share 1 &
wait
cat wrong.0 wrong.1
is "every planned run was made" "$(wc -l <plan)" "$(cat count.* | wc -l)"
is "failing calls harm nothing, and losses are told" 0 "$(cat wrong.0 wrong.1 | wc -l)"
