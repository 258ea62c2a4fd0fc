# Recorded experiments that are kept give the same text as ever. tests/golden/make records them, and tells what is in them;
# with UPDATE=DIRECTORY their output is written there instead of compared (make's `expect`).
golden=$(realpath "$(dirname "$0")/../golden")
. "$(dirname "$0")/lib.sh"

# Experiment and its commands, one claim each.
cases="
profile header functions fsummary calltree callers-callees lines pcs objects sample_detail statistics heapstat threads cpus seconds samples thread_list duration describe
heap header functions calltree leaks peak allocs heapstat lines heap datasize threads
control header functions leaks heapstat heapmaps sample_detail
dynamic header functions allocs lines heapmaps
killed header functions calltree leaks heapstat
odd header functions calltree exp_list objects
user header hooks
user32 hooks
damaged header functions calltree leaks heapstat sample_detail statistics threads seconds datasize
"

# output NAME COMMAND: what xer_print says, its faults and its exit status
output()
{
	timeout 20 "$xer_print" "-$2" "$1.er" 2>stderr.txt
	echo "exit status $?"
	cat stderr.txt
}

while read -r name commands; do
	[ -n "$name" ] || continue
	for command in $commands; do
		# A fresh copy: xer_print may archive what a killed process could not.
		rm -rf "$name.er" && cp -r "$golden/$name.er" .
		output "$name" "$command" >"$name.$command"
		if [ -n "${UPDATE:-}" ]; then
			cp "$name.$command" "$UPDATE/"
		elif diff -u "$golden/expected/$name.$command" "$name.$command" >difference.txt; then
			ok "golden $name: $command"
		else
			not_ok "golden $name: $command"
			head -40 difference.txt | sed 's/^/    /'
		fi
	done
done <<<"$cases"

# Two of them compared: form and command.
while read -r mode command; do
	[ -n "$mode" ] || continue
	rm -rf heap.er killed.er && cp -r "$golden/heap.er" "$golden/killed.er" .
	{
		timeout 20 "$xer_print" -compare "$mode" "-$command" heap.er killed.er 2>stderr.txt
		echo "exit status $?"
		cat stderr.txt
	} >"compare.$mode.$command"
	if [ -n "${UPDATE:-}" ]; then
		cp "compare.$mode.$command" "$UPDATE/"
	elif diff -u "$golden/expected/compare.$mode.$command" "compare.$mode.$command" >difference.txt; then
		ok "golden compare $mode: $command"
	else
		not_ok "golden compare $mode: $command"
		head -40 difference.txt | sed 's/^/    /'
	fi
done <<<"
on functions
delta calltree
ratio callers-callees
delta lines
delta leaks
on heapstat
on exp_list
"

# The other forms of output: form, experiment and command.
while read -r form name command; do
	[ -n "$form" ] || continue
	rm -rf "$name.er" && cp -r "$golden/$name.er" .
	{
		timeout 20 "$xer_print" -printmode "$form" "-$command" "$name.er" 2>stderr.txt
		echo "exit status $?"
		cat stderr.txt
	} >"$form.$name.$command"
	if [ -n "${UPDATE:-}" ]; then
		cp "$form.$name.$command" "$UPDATE/"
	elif diff -u "$golden/expected/$form.$name.$command" "$form.$name.$command" >difference.txt; then
		ok "golden $form, $name: $command"
	else
		not_ok "golden $form, $name: $command"
		head -40 difference.txt | sed 's/^/    /'
	fi
done <<<"
json heap functions
json heap leaks
json profile calltree
json profile statistics
json odd header
csv heap functions
csv heap leaks
csv profile calltree
csv odd exp_list
html heap functions
html heap leaks
html profile calltree
html odd header
"

# User events: experiment, name of the expectation, options of the report.
templates=$(realpath "$golden/../programs/user_work.trc")
while read -r name kind options; do
	[ -n "$name" ] || continue
	rm -rf "$name.er" && cp -r "$golden/$name.er" .
	# shellcheck disable=SC2086
	{
		timeout 20 "$readers/xer_trcrpt" -h -t "$templates" $options "$name.er" 2>stderr.txt
		echo "exit status $?"
		cat stderr.txt
	} >"$name.trcrpt.$kind"
	if [ -n "${UPDATE:-}" ]; then
		cp "$name.trcrpt.$kind" "$UPDATE/"
	elif diff -u "$golden/expected/$name.trcrpt.$kind" "$name.trcrpt.$kind" >difference.txt; then
		ok "golden $name: trcrpt, $kind"
	else
		not_ok "golden $name: trcrpt, $kind"
		head -40 difference.txt | sed 's/^/    /'
	fi
done <<<"
user plain
user columns -O exec=on,pid=on,tid=on,cpuid=on,timestamp=1,hist=on
user raw -r -k 020
user lines -O 2line=on,timestamp=2
user json --json
user32 plain
user32 raw -r
"
[ -z "${UPDATE:-}" ] || exit 0

# The same experiment under a name of odd bytes, read only.
odd=$'o\xff\x01 \\x41 <&.er'
cp -r "$golden/heap.er" "$odd" && chmod -R a-w "$odd"
"$xer_print" -leaks "$odd" >odd.txt 2>odd.err
is "an experiment of odd name is read" 0 $?
{ cat odd.txt && echo "exit status 0"; } | cmp -s - "$golden/expected/heap.leaks"
is "and gives the same text" 0 $?
chmod -R u+w "$odd"
