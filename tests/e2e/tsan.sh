# Readers and writers with many threads under the thread sanitizer: tests/tsan. `make tsan` runs them by hand.
. "$(dirname "$0")/lib.sh"
for program in readers writers; do
	run=$BUILD/tsan/tests/tsan/$program
	[ -x "$run" ] || { skip "$program of many threads" "make replay has not built $run"; continue; }
	# The sanitizer's map of addresses does not fit to every kernel's address space randomization.
	setarch -R true 2>/dev/null && run="setarch -R $run"
	TSAN_OPTIONS=halt_on_error=1 timeout -k 5 100 $run >out.txt 2>&1
	status=$?
	[ $status = 0 ] || head -60 out.txt
	is "$program of many threads: $(tail -1 out.txt | cut -c1-80)" 0 $status
done
