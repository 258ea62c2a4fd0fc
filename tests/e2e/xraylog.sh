# Logs that LLVM's own XRay runtime wrote: read as experiments, and printed as llvm-xray prints them.
golden=$(cd "$(dirname "$0")/../golden/xray" && pwd)
sources=$(cd "$(dirname "$0")/../programs" && pwd)
. "$(dirname "$0")/lib.sh"

# lines FILE: its lines, sorted: llvm-xray prints stack frames in no fixed order
lines() { tr -d , <"$1" | sort; }

# compare CLAIM LOG YAML TRACE-EVENTS ACCOUNT: xer_print makes the same of LOG as llvm-xray did
compare()
{
	limited 60 "$xer_print" -convert yaml "$2" >mine.yaml
	cmp -s mine.yaml "$3" && ok "$1: yaml" || { not_ok "$1: yaml"; diff "$3" mine.yaml | head -5; }
	limited 60 "$xer_print" -convert trace_event "$2" >mine.trace_event
	is "$1: trace events" "$(lines "$4" | cksum)" "$(lines mine.trace_event | cksum)"
	limited 60 "$xer_print" -account "$2" >mine.account
	cmp -s mine.account "$5" && ok "$1: account" || { not_ok "$1: account"; diff "$5" mine.account | head -5; }
}

for name in v5 naive; do
	compare "a kept log of clang 14, $name" "$golden/$name.log" "$golden/$name.yaml" "$golden/$name.trace_event" "$golden/$name.account"
	for form in stack graph; do
		limited 60 "$xer_print" -$form "$golden/$name.log" >mine.$form
		is "a kept log of clang 14, $name: $form" "$(sort "$golden/$name.$form")" "$(sort mine.$form)"
	done
	cmp -s mine.stack "$golden/$name.stack" && ok "stacks of $name are in the same order" || not_ok "stacks of $name are in the same order"
	limited 60 "$xer_print" -calls -ftrace -functions -calltree -callers-callees -header "$golden/$name.log" >"$name.txt" 2>"$name.err"
	is "the views of $name exit 0" "0 0" "$? $(wc -c <"$name.err")"
	is "$name has the calls of its program" "177 1 12 2 4" \
		"$(for id in 4 5 1 2 3; do awk -v name="xray+0x$id" 'NF == 11 && $11 == name { print $3; exit }' "$name.txt"; done | xargs)"
done

# Damage is reported, and the sound parts are there.
head -c 3001 "$golden/v5.log" >cut.log
limited 60 "$xer_print" -calls cut.log >cut.txt 2>cut.err
contains "a log that is cut off" '^# quality: [1-9][0-9]* traced calls' cut.txt
# The log says how long its buffer is, so each cut is reported, with its offset.
silent=0
for size in $(seq 40 37 3311); do
	head -c "$size" "$golden/v5.log" >cut.log
	limited 60 "$xer_print" -calls cut.log >cut.txt 2>cut.err
	[ $? = 1 ] && grep -q 'offset [0-9]*: ' cut.err || silent=$((silent + 1))
done
is "no cut of a kept log is silent" 0 "$silent"
printf 'no log' >none.log
limited 60 "$xer_print" -calls none.log >none.txt 2>none.err
is "a file that is no log" 1 $?
contains "is named" 'none.log: not an experiment: neither a directory nor an XRay or FXT log' none.err
cp "$golden/v5.log" damaged.log
for i in $(seq 1 60); do
	printf '\377' | dd of=damaged.log bs=1 seek=$((i * 97 % 5000)) conv=notrunc 2>dd.err
	limited 20 "$xer_print" -calls -convert yaml -convert trace_event -account -stack -graph damaged.log >damaged.txt 2>damaged.err
	status=$?
	[ $status -le 1 ] || { not_ok "damaged logs end with 0 or 1, not $status"; break; }
done
[ "$i" = 60 ] && ok "damaged logs end with 0 or 1"

# ---- a log of the clang that is installed here
if ! have clang llvm-xray || ! clang -O2 -g -D_GNU_SOURCE -fxray-instrument -fxray-instruction-threshold=1 -o known "$sources/ft_known.c" \
	"$sources/ft_control.c" -lpthread 2>clang.log; then
	skip "a log made here" "clang with the XRay runtime, or llvm-xray, is not installed"
	exit 0
fi
XRAY_OPTIONS="xray_logfile_base=made." timeout 60 ./known 1 500 >known.out 2>known.err
log=$(ls made.* | head -1)
for form in yaml trace_event; do timeout 60 llvm-xray convert -f $form "$log" >theirs.$form; done
limited 60 llvm-xray account "$log" >theirs.account
compare "a log made here" "$log" theirs.yaml theirs.trace_event theirs.account
limited 60 llvm-xray graph "$log" >theirs.graph
limited 60 "$xer_print" -graph "$log" >mine.graph
is "a log made here: graph" "$(sort theirs.graph)" "$(sort mine.graph)"
limited 60 llvm-xray stack "$log" >theirs.stack
limited 60 "$xer_print" -stack "$log" >mine.stack
is "a log made here: stack" "$(sort theirs.stack)" "$(sort mine.stack)"
limited 60 "$xer_print" -instr_map ./known -calls "$log" >known.txt
for expected in fib:177 leaf:1500 middle:500 odd:250 worker:1; do
	is "instr_map names ${expected%:*}" "${expected#*:}" "$(value known "${expected%:*}" 3)"
done
# The other forms have the names, too. For places in the source, llvm-xray also prints the column.
for form in yaml trace_event; do
	limited 60 llvm-xray convert --symbolize -m ./known -f $form "$log" >theirs.$form
	limited 60 "$xer_print" -instr_map ./known -convert $form "$log" >mine.$form
done
cmp -s mine.yaml theirs.yaml && ok "named yaml" || not_ok "named yaml"
is "named trace events" "$(lines theirs.trace_event | cksum)" "$(lines mine.trace_event | cksum)"
for form in stack graph; do
	limited 60 llvm-xray $form -m ./known "$log" >theirs.$form
	limited 60 "$xer_print" -instr_map ./known -$form "$log" >mine.$form
	is "named $form" "$(sort theirs.$form)" "$(sort mine.$form)"
done
limited 60 "$xer_print" -instr_map ./known -account "$log" >known.txt
contains "a named account says where functions are" 'ft_known\.c:[0-9]+: middle$' known.txt
limited 60 "$xer_print" -instr_map ./known -limit 20 -ftrace "$log" >known.txt
contains "arguments are shown" 'middle\(0x1\) \{' known.txt

# The other direction: xer_print writes a map for llvm-xray.
record ours -p off --functrace -- "$programs/ft_known" 1 10
limited 60 "$xer_print" -instr_map_out map.yaml ours.er
succeeds "llvm-xray takes our map" timeout 60 llvm-xray account -m map.yaml ours.er/functrace
