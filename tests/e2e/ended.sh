# The program ends at a system call of the recorder, by SIGKILL, SIGTERM or exit_group. The experiment is readable; it has nothing
# that did not happen, and all that the program reported as done. `RUNS=n` tries each way at n calls (10 by default), spread
# evenly.
. "$(dirname "$0")/lib.sh"

inject=$programs/inject
recording=("$xcollect" -p hi -H on -s all -i on -w on --functrace -S 0.05 -A off -o t.er "$programs/ft_faults")
runs=${RUNS:-10}

# done_blocks: how many blocks the calls of work had allocated that the program reported as done in the file out: main's before
# "errno", each thread's before it was joined, each child's before it was waited for
done_blocks() { awk '/^errno/ || /^thread 0/ && ++threads > 2 || /^fork 1 1 3/ || /^spawn 1 1 4/ { n += 100 } END { print n + 0 }' out; }

# unsound STATUS: what is wrong after such an end
unsound()
{
	local status=$1 got file least
	# A child may have ended so; the first process only reports it.
	case $status in 137 | 143 | 9 | 7) ;; *) echo "exit status $status; " ;; esac
	[ -d t.er ] || { echo "no experiment; "; return; }
	limited 90 "$xer_print" -header all -metrics i.heapalloccnt:i.fcalls:name -functions t.er >report.txt 2>report.err
	status=$?
	case $status in
	0) ;;
	1) [ -s report.err ] || echo "xer_print fails without a word; " ;;
	*) echo "xer_print ends with $status; " ;;
	esac
	got=$(awk '$NF == "work" { print $1; exit }' report.txt)
	least=$(done_blocks)
	[ "${got:-0}" -le 500 ] && [ "${got:-0}" -ge "$least" ] || echo "${got:-0} blocks of work, at least $least; "
	echo "$least" >>../least
	find t.er -name '*.xml' >files
	! have xmllint || while read -r file; do
		xmllint --noout "$file" 2>&1 | head -1
	done <files
	! have llvm-xray || for file in t.er/heaptrace t.er/overview t.er/functrace; do
		[ ! -e $file ] || limited 30 llvm-xray fdr-dump -verify $file 2>&1 >/dev/null | head -1
	done
}

attempt()
{
	limited 90 "$inject" libcollector log "$2" "$3" "$4" "${recording[@]}" >out 2>err
	unsound $?
}

mkdir count && (cd count && "$inject" libcollector ../counted exit 0 0 "${recording[@]}" >out 2>&1)
[ $? != 120 ] || { skip "ends at system calls of the recorder" "no tracing here"; exit; }
calls=$(wc -l <counted)
within "the recorder makes calls" 200 10000 "$calls"
is "where the program goes on to its end, all of its work is there" "500 500" \
	"$(cd count && echo $(done_blocks; "$xer_print" -metrics i.heapalloccnt:name -functions t.er | awk '$NF == "work" { print $1; exit }'))"
for way in "kill 9" "kill 15" "exit 9"; do
	for first in $(spread "$calls" "$runs"); do echo "${way/ /.}.$first $way $first"; done
done >plan
for reader in llvm-xray xmllint; do have $reader || skip "$reader reads what is left" "it is not installed" 0; done
planned "experiments are sound, wherever the program ends" attempt
within "in some of them much was done" 300 500 "$(sort -n least | tail -1)"
