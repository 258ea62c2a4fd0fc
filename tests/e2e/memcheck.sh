# The tools under valgrind: no memory is read before it is written or used after it is freed, and none leaks. Each golden
# experiment is read once, with commands that together use every reader.
golden=$(realpath "$(dirname "$0")/../golden")
. "$(dirname "$0")/lib.sh"

if ! command -v valgrind >/dev/null; then
	skip "the tools under valgrind" "valgrind is not installed"
	exit 0
fi
if [ "$readers" != "$BUILD/bin" ]; then
	skip "the tools under valgrind" "the readers are another build"
	exit 0
fi

# clean CLAIM STATUS COMMAND...: valgrind reports nothing, and the command ends with that status, as without it
clean()
{
	local claim=$1 wanted=$2 status
	shift 2
	rm -f found.*
	limited 100 valgrind -q --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --log-file=found.%p "$@" \
		>output.txt 2>errors.txt </dev/null
	status=$?
	if ! compgen -G 'found.*' >/dev/null; then
		not_ok "$claim: valgrind did not run"
		head -5 errors.txt | sed 's/^/    /'
	elif [ -n "$(cat found.*)" ]; then
		not_ok "$claim: valgrind says"
		cat found.* | head -40 | sed 's/^/    /'
	else
		is "$claim" "$wanted" "$status"
	fi
}

# Whether valgrind can run here at all is not what is tested.
if ! valgrind -q true >/dev/null 2>&1; then
	skip "the tools under valgrind" "valgrind cannot run a program here"
	exit 0
fi

while read -r name status commands; do
	[ -n "$name" ] || continue
	cp -r "$golden/$name.er" .
	# shellcheck disable=SC2086
	clean "memcheck: $name" "$status" "$xer_print" $commands "$name.er"
done <<<"
profile 0 -header -functions -callers-callees -calltree -lines -pcs -statistics -threads -seconds -describe
heap 0 -leaks -peak -allocs -heapstat -datasize -filters HTYPE==0 -functions
killed 0 -header -calltree -leaks
odd 0 -exp_list -objects
dynamic 0 -functions -lines -heapmaps
user 0 -header -hooks
user32 0 -hooks
damaged 1 -functions -leaks -statistics
"
clean "memcheck: compared experiments" 0 "$xer_print" -compare ratio -functions -calltree -leaks heap.er killed.er
clean "memcheck: tables for programs" 0 "$xer_print" -printmode json -functions -leaks heap.er
clean "memcheck: an export" 0 "$xer_print" -export pprof out.pb.gz profile.er
clean "memcheck: a mistake" 2 "$xer_print" -functionss profile.er
clean "memcheck: user events" 0 "$readers/xer_trcrpt" user.er
record fresh -a off -- true
# Programs have no vDSO under valgrind.
"$xer_archive" -m '\[vdso\]' fresh.er 2>/dev/null
clean "memcheck: xer_archive" 0 "$xer_archive" fresh.er
clean "memcheck: xcollect up to the program" 7 "$xcollect" -o made.er -p hi -H on -s all -i on sh -c 'exit 7'
clean "memcheck: xcollect without a program" 125 "$xcollect" -p nonsense
