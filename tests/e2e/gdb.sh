# The command `collector` in gdb: for a program that gdb starts, and for one that it attaches to.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"

if ! have gdb || ! gdb -nx -batch -ex 'python print(1)' >/dev/null 2>&1; then
	skip "collector in gdb" "no gdb with python"
	exit 0
fi
export XCOLLECT=$xcollect
debug() { timeout -k 5 60 gdb -nx -batch -ex "source $root/share/xer.gdb" "$@" >gdb.out 2>gdb.err </dev/null; }

debug -ex 'collector heaptrace on' -ex 'collector profile off' -ex 'collector archive off' -ex 'collector store experiment started.er' \
	-ex 'collector enable' -ex 'break main' -ex run -ex 'collector sample record' -ex 'collector status' -ex continue --args "$programs/heap_known"
contains "started: gdb stops in main" '^Breakpoint 1, ' gdb.out
contains "started: status" '^heaptrace    on$' gdb.out
report started -metrics i.heapalloccnt:i.heapallocbytes:name -functions -sample_detail
is "started: exact numbers" "100 1000" "$(value started use_malloc 1) $(value started use_malloc 2)"
contains "started: a sample" ' manual: signal$' started.txt

rm -f go
"$programs/attached" nothing 0 "$PWD/go" "$programs/plugin.so" >target.out 2>target.err &
target=$!
sleep 0.3
debug -p $target -ex 'collector heaptrace on' -ex 'collector archive off' -ex 'collector store experiment attached.er' -ex 'collector enable' \
	-ex "shell touch go" -ex "shell (sleep 1; kill -INT $target) &" -ex continue \
	-ex 'collector disable' -ex detach
contains "attached: it is recorded" '^Recording process ' gdb.out
contains "attached: and no more" '^The recording of process [0-9]+ has ended' gdb.out
rm -f go
wait $target
is "attached: the process ends rightly" "0 right" "$? $(sed 's/ [0-9]*$//' target.out)"
report attached -metrics i.heapalloccnt:i.heapallocbytes:name -functions
is "attached: exact numbers" "100 1000" "$(value attached known_malloc 1) $(value attached known_malloc 2)"
