# Clock profiling: recorded CPU time against the true one, and its shares by function.
. "$(dirname "$0")/lib.sh"

metrics=(-metrics e.totalcpu:e%totalcpu:i%totalcpu:name -functions)

# covered NAME: the recorded time is within 3 % of the program's CPU time
covered()
{
	local truth
	truth=$(seconds "$1")
	within "$1: CPU time recorded" "$(awk -v x="$truth" 'BEGIN { print x * 0.97 - 0.01 }')" "$(awk -v x="$truth" 'BEGIN { print x * 1.03 + 0.02 }')" "$(value "$1" '<Total>' 1)"
}

# logged NAME COUNTER: the counter's last value in NAME.er
logged() { sed -n "s/.*<count name=\"$2\" value=\"\([0-9]*\)\".*/\1/p" "$1.er/log.xml" | tail -1; }

# share CLAIM TRUTH SHOWN SECONDS: a share in per cent, of SECONDS of CPU time
share() { sampled "$1" "$2" "$3" "$(due "$4")"; }

# seconds NAME: the CPU time that the program itself printed
seconds() { awk '/^cpu_ns/ { print $2 / 1e9 }' "$1.out"; }

for threads in 0 2; do
	name=burn$threads
	record $name -p hi -- "$programs/burn50" 3 $threads
	report $name "${metrics[@]}"
	is "$name: xer_print exits 0" 0 $?
	covered $name
	share "$name: work_a has half" 50 "$(value $name work_a 2)" "$(seconds $name)"
	share "$name: work_b" 30 "$(value $name work_b 2)" "$(seconds $name)"
	share "$name: work_c" 15 "$(value $name work_c 2)" "$(seconds $name)"
	share "$name: work_d" 5 "$(value $name work_d 2)" "$(seconds $name)"
	within "$name: split has all" 99 100 "$(value $name split 3)"
done

# Some allocators register rseq themselves, so the C library does not: the CPU is then found in another way.
GLIBC_TUNABLES=glibc.pthread.rseq=0 record unregistered -p hi -- "$programs/burn50" 0.2 0
report unregistered -cpus
is "without rseq, only CPUs of this machine are shown" "" \
	"$(sed -nE 's/.* CPU ([0-9]+)$/\1/p' unregistered.txt | awk -v all="$(getconf _NPROCESSORS_CONF)" '$1 >= all')"
contains "and CPUs are shown" ' CPU [0-9]+$' unregistered.txt

record calls -p hi -- "$programs/syscalls" 2
report calls "${metrics[@]}"
covered calls
for part in compute call_read call_getppid; do
	share "time in the kernel: $part" "$(awk -v part=$part '$1 == part { print $2 / 10 }' calls.out)" "$(value calls $part 3)" "$(seconds calls)"
done

record mask -p hi -- "$programs/sigmask" 1
report mask "${metrics[@]}"
covered mask
within "a thread that blocks all signals" 95 100 "$(value mask blocked_burn 3)"

record raw -p hi -- "$programs/threads_raw" 1
report raw "${metrics[@]}"
covered raw
within "a thread of the clone call itself" 95 100 "$(value raw raw_burn 3)"

record deep -p hi -- "$programs/deep" 200 1
report deep "${metrics[@]}"
within "200 frames: whole stacks" 99 100 "$(value deep main 3)"
contains "200 frames: quality line" '^#.*quality' deep.txt

record stacks -p hi -- "$programs/stacks" 2
report stacks "${metrics[@]}"
within "exceptions, callbacks, handlers, leaves: stacks reach main" 99.5 100 "$(value stacks main 3)"
for part in 'throwing(double)' 'sorting(double)' 'signalling(double)' 'moving(double)'; do
	share "stacks: $part" 25 "$(value stacks "$part" 3)" 2
done
record dl -p hi -- "$programs/dl" 300
report dl "${metrics[@]}"
within "a library that comes and goes" 50 100 "$(value dl use_library 3)"
contains "its functions are named" 'lgamma' dl.txt
record often -H on -p hi -- "$programs/dl" 6000 200
is "a library that comes 6000 times" 6000 "$(grep -c 'libm\.so' often.er/map.xml)"
absent "nothing is lost in 6000 generations" 'lost_.*' often.er/log.xml

record leave -S 1 -p hi -- "$programs/crowd" leave
within "time of a main thread that has ended is counted once" 1780000000 1860000000 "$(logged leave sampled_ns)"
record storm -S 1 -p hi -- "$programs/crowd" storm
is "threads that are starting are counted once" "$(cat storm.out)" "threads $(logged storm threads)"

# ---- stacks so deep that a walk takes longer than the time between two ticks
if (ulimit -s 400000) 2>/dev/null; then
	(ulimit -s 400000 && timeout -s KILL 60 "$xcollect" -o abyss.er -p hi "$programs/deep" 1000000 0.2 >abyss.out 2>abyss.err)
	is "a program with a million frames goes on" 0 $?
	report abyss -functions
	within "all of its CPU time is there" 99 101 "$(sed -n 's/.*CPU time covered \([0-9.]*\) %.*/\1/p' abyss.txt)"
else
	skip "a program with a million frames goes on" "the stack may not be that large here"
fi
