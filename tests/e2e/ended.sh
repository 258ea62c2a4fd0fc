# The program ends at a system call of the recorder, by SIGKILL, SIGTERM or exit_group: the experiment is readable, and holds no more
# than what happened. `RUNS=n` tries each way at n calls (10 as it is), spread evenly.
. "$(dirname "$0")/lib.sh"

inject=$programs/inject
recording=("$xcollect" -p hi -H on -s all -i on --functrace -S 0.05 -A off -o t.er "$programs/ft_faults")
runs=${RUNS:-10}

# unsound STATUS: what is wrong after an end
unsound()
{
	local status=$1 got file
	# The end may be that of a child, of which the first process only tells.
	case $status in 137 | 143 | 9 | 7) ;; *) echo "exit status $status; " ;; esac
	[ -d t.er ] || { echo "no experiment; "; return; }
	timeout -k 2 30 "$xer_print" -header -metrics i.heapalloccnt:i.fcalls:name -functions t.er >report.txt 2>report.err
	status=$?
	case $status in
	0) ;;
	1) [ -s report.err ] || echo "xer_print fails without a word; " ;;
	*) echo "xer_print ends with $status; " ;;
	esac
	got=$(awk '$NF == "work" { print $1; exit }' report.txt)
	[ "${got:-0}" -le 500 ] || echo "$got blocks of work; "
	find t.er -name '*.xml' >files
	while read -r file; do
		xmllint --noout "$file" 2>&1 | head -1
	done <files
	! have llvm-xray || for file in t.er/heaptrace t.er/overview t.er/functrace; do
		[ ! -e $file ] || timeout 30 llvm-xray fdr-dump -verify $file 2>&1 >/dev/null | head -1
	done
}

attempt()
{
	local wrong
	mkdir "$1" && cd "$1" || return
	timeout -k 2 30 "$inject" libcollector log "$2" "$3" "$4" "${recording[@]}" >out 2>err </dev/null
	wrong=$(unsound $?)
	cd .. || return
	echo run >>"count.$BASHPID"
	if [ -z "$wrong" ]; then rm -rf "$1"; else echo "$1 ($(tail -1 "$1/log")): $wrong"; fi
}

share()
{
	local turn=0
	while read -r name how value first; do
		((turn++ % 2 != $1)) || attempt "$name" "$how" "$value" "$first"
	done <plan >"wrong.$1" 2>&1
}

mkdir count && (cd count && "$inject" libcollector ../counted exit 0 0 "${recording[@]}" >/dev/null 2>&1)
[ $? != 120 ] || { skip "ends at system calls of the recorder" "no tracing here"; exit; }
calls=$(wc -l <counted)
within "the recorder makes calls" 200 10000 "$calls"
for way in "kill 9" "kill 15" "exit 9"; do
	awk -v n="$calls" -v runs="$runs" -v way="$way" 'BEGIN { k = n < runs ? n : runs
		for (i = 1; i <= k; i++) { at = int((i - 0.5) * n / k) + 1; name = way; sub(" ", ".", name); print name "." at, way, at } }'
done >plan
share 0 &
share 1 &
wait
cat wrong.0 wrong.1
is "every planned run was made" "$(wc -l <plan)" "$(cat count.* | wc -l)"
is "experiments are sound, wherever the program ends" 0 "$(cat wrong.0 wrong.1 | wc -l)"
