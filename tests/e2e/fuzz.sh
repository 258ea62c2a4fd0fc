# Inputs that once broke a reader, or might, and new ones from a seed: each run ends soon, with status 0, or with 1 and the
# reason. tests/fuzz/FILE/BASE-WHAT stands for FILE in the golden experiment BASE. To run more: FUZZ_SECONDS and FUZZ_SEED; inputs
# that fail are kept, as FILE of BASE, in FUZZ_KEEP (default: the work directory).
fuzz=$(realpath "$(dirname "$0")/../fuzz")
golden=$(realpath "$(dirname "$0")/../golden")
templates=$(realpath "$(dirname "$0")/../programs/user_work.trc")
. "$(dirname "$0")/lib.sh"
seconds=${FUZZ_SECONDS:-15}
seed=${FUZZ_SEED:-$(date +%s)}
keep=${FUZZ_KEEP:-$PWD}
commands=(-header -programs -overview -exp_list -functions -fsummary -calltree -callers-callees -lines -pcs -leaks -allocs -heapstat -heapmaps
	-sample_detail -statistics -objects -threads -cpus -seconds -samples -datasize -duration -memobj page -describe -thread_list
	-filters 'HFREED >= 0 && TSTAMP >= 0 || FNAME("m.*") IN STACK || THRID' -functions -heapstat)

# well CLAIM COUNT BAD: COUNT inputs were run, of which BAD were bad; with no input at all the claim fails
well()
{
	if [ "$2" = 0 ]; then not_ok "$1: there are no inputs"; else is "$2 $1" 0 "$3"; fi
}

# run PROGRAM ARGUMENT...: what was wrong with its run on case.er; nothing if it was good
run()
{
	limited 5 "$@" case.er >out.txt 2>err.txt
	local status=$?
	[ $status -le 1 ] || echo "exit status $status"
	[ $status = 0 ] || [ -s err.txt ] || echo "exit status $status without a word"
	[[ $status != 0 || $1 != */xer_print ]] || [ "$(said_in out.txt err.txt)" = said ] || echo "it says nothing"
	if grep -qE 'Sanitizer|runtime error:' err.txt; then echo "a sanitizer's report"; fi
	# Control characters: of ASCII, and U+0080 to U+009F.
	if LC_ALL=C grep -qaP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' out.txt err.txt; then echo "control characters"; fi
	return $status
}

# fault FILE: what a reader of case.er, in which FILE was changed, does wrong; nothing if all readers are good
fault()
{
	[ "$1" != map.xml ] || run "$xer_archive" -a usedsrc
	# User events: the templates may be what was changed.
	if [ -e case.er/trcfmt ]; then
		run "$xer_print" -trcrpt "-h -t case.er/trcfmt" -hooks -hookpairs "020:1 020:2 D1" -trcrpt "-r -O hist=on,removedups=on"
		[ "$1" != trcfmt ] || return
	fi
	if run "$xer_print" "${commands[@]}" && [ ! -s out.txt ]; then echo "no output"; fi
}

# base NAME: case.er becomes a copy of the golden experiment
base()
{
	rm -rf case.er && cp -r "$golden/$1.er" case.er
	[[ $1 != user* ]] || cp "$templates" case.er/trcfmt
}

# Expressions, which need no experiment but are run on one: one expression in each file, of any bytes.
bad=0
count=0
base profile
for input in "$fuzz"/expression/*; do
	[ -e "$input" ] || continue
	{ printf 'filters '; cat "$input"; printf '\nindxobj_define x '; cat "$input"; printf '\nx\n'; } >script.txt
	limited 5 "$xer_print" -script script.txt case.er >out.txt 2>err.txt
	status=$?
	count=$((count + 1))
	if [ $status -gt 2 ] || { [ $status != 0 ] && [ ! -s err.txt ]; } || grep -qE 'Sanitizer|runtime error:' err.txt; then
		bad=$((bad + 1))
		echo "tests/fuzz/expression/$(basename "$input"): exit status $status"
	fi
done
well "expressions end well" $count $bad

bad=0
count=0
for input in "$fuzz"/*/*-*; do
	[ -e "$input" ] || continue
	file=$(basename "$(dirname "$input")")
	name=$(basename "$input")
	base "${name%%-*}"
	cp "$input" "case.er/$file"
	why=$(fault "$file")
	count=$((count + 1))
	[ -z "$why" ] || { bad=$((bad + 1)); echo "tests/fuzz/$file/$name: $why"; tail -3 err.txt; }
done
well "kept inputs end well" $count $bad

# XRay logs: those of LLVM, and Xer's function traces, which are such logs as well.
read_log()
{
	cp "$1" case.er
	run "$xer_print" -calls -ftrace -convert yaml
	run "$xer_print" -convert trace_event -account -graph -stack -functions
}
bad=0
count=0
rm -rf case.er
for input in "$fuzz"/xraylog/*; do
	[ -e "$input" ] || continue
	why=$(read_log "$input")
	count=$((count + 1))
	[ -z "$why" ] || { bad=$((bad + 1)); echo "tests/fuzz/xraylog/$(basename "$input"): $why"; tail -3 err.txt; }
done
rm -f case.er
well "XRay logs end well" $count $bad

gcc -O1 -Wall -Wextra -Werror -o mutate "$fuzz/mutate.c" || { not_ok "the mutator is built"; exit 0; }
names=(profile heap killed odd damaged control dynamic user user32)
files=(log.xml map.xml overview profile heaptrace frameinfo archives dyntext usertrace trcfmt)
echo "FUZZ_SEED=$seed"
bad=0
count=0
turn=0
end=$((SECONDS + seconds))
while [ $SECONDS -lt $end ] && [ $bad -lt 5 ]; do
	number=$((seed + turn++))
	name=${names[number % ${#names[@]}]}
	file=${files[number / ${#names[@]} % ${#files[@]}]}
	[ "$file" != archives ] || file=$(cd "$golden/$name.er" && echo archives/*)
	base "$name"
	[ -e "case.er/$file" ] || continue
	cp "case.er/$file" original
	./mutate $number original "case.er/$file" || continue
	count=$((count + 1))
	why=$(fault "$file")
	[ -n "$why" ] || continue
	bad=$((bad + 1))
	echo "$name.er with $file of \`mutate $number\`: $why"
	tail -3 err.txt
	cp "case.er/$file" "$keep/$(basename "$file").$name-$number"
done
well "inputs from seed $seed end well" $count $bad

# The same for files about JIT functions.
for told in map dump gdb; do
	record jit_$told -p off -H on -- "$programs/jit_known" $told
	rm -f "/tmp/perf-$(cat jit_$told.out).map" jit-*.dump
done
told=(jit_map:perf.map jit_map:log.xml jit_dump:jit1.dump jit_dump:jit1.dump jit_gdb:dyntext jit_gdb:dyntext jit_gdb:map.xml)
bad=0
count=0
turn=0
end=$((SECONDS + seconds / 3))
while [ $SECONDS -lt $end ] && [ $bad -lt 5 ]; do
	number=$((seed + turn++))
	IFS=: read -r name file <<<"${told[number % ${#told[@]}]}"
	rm -rf case.er
	cp -r "$name.er" case.er
	./mutate $number "$name.er/$file" "case.er/$file" || continue
	count=$((count + 1))
	why=$(run "$xer_print" -header -functions -calltree -lines)
	limited 5 "$xer_print" -disasm one 1 -disasm two 1 -disasm three 1 case.er >out.txt 2>err.txt
	status=$?
	# 2: the mutated experiment may name the function otherwise
	if [ $status -gt 2 ] || grep -qE 'Sanitizer|runtime error:' err.txt; then why="$why disasm: exit status $status"; fi
	[ -n "$why" ] || continue
	bad=$((bad + 1))
	echo "$name.er with $file of \`mutate $number\`: $why"
	tail -3 err.txt
	cp "case.er/$file" "$keep/$file.$name-$number"
done
well "files that tell of functions from seed $seed end well" $count $bad

# The same for XRay logs: LLVM's, and function traces, which are read as part of an experiment, too.
record calls -p off --functrace -- "$programs/ft_known" 2 20
record erased -p off --functrace=min=1us,depth=3 -- "$programs/ft_known" 2 20
logs=("$golden/xray/v5.log" "$golden/xray/naive.log" "$fuzz/xraylog/sound" calls.er/functrace erased.er/functrace calls.er/functable)
bad=0
count=0
turn=0
end=$((SECONDS + seconds / 3))
while [ $SECONDS -lt $end ] && [ $bad -lt 5 ]; do
	number=$((seed + turn++))
	log=${logs[number % ${#logs[@]}]}
	./mutate $number "$log" changed || continue
	count=$((count + 1))
	rm -rf case.er
	why=$(read_log changed)
	if [[ $log == *.er/* ]]; then
		rm -f case.er
		cp -r "${log%/*}" case.er
		cp changed "case.er/${log##*/}"
		why=$why$(run "$xer_print" -calls -ftrace -functions -calltree)
	fi
	[ -n "$why" ] || continue
	bad=$((bad + 1))
	echo "$log of \`mutate $number\`: $why"
	cp changed "$keep/xraylog-$number"
done
well "XRay logs from seed $seed end well" $count $bad
