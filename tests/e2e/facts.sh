# The golden experiments hold what their programs did: the numbers below follow from the sources of the programs and their
# arguments in tests/golden/make. They were not copied from output of xer_print.
golden=$(realpath "$(dirname "$0")/../golden")
. "$(dirname "$0")/lib.sh"
unset "${!DEBUGINFOD_@}"
cp -r "$golden"/*.er .

# table NAME METRICS: functions of NAME with these metrics, of the experiment as it is kept
table() { report "$1" -limit 0 -metrics "$2:name" -functions; }

# row NAME FUNCTION: its numbers
row() { awk -v name="$2" 'substr($0, length($0) - length(name)) == " " name { $NF = ""; sub(/ $/, ""); print; exit }' "$1.txt"; }

# ---- heap_known: allocations, bytes, leaks, leaked bytes by function
table heap i.heapalloccnt:i.heapallocbytes:i.heapleakcnt:i.heapleakbytes
while read -r function numbers; do
	is "heap_known: $function" "$numbers" "$(row heap "$function")"
done <<'END'
use_malloc 100 1000 0 0
use_calloc 50 5000 0 0
use_realloc 40 1600 0 0
use_reallocarray 10 640 0 0
use_aligned 25 5480 0 0
use_strdup 30 390 0 0
leak_malloc 7 7000 7 7000
leak_calloc 3 1500 3 1500
zero_malloc 4 0 0 0
main 269 22610 10 8500
<Total> 269 22610 10 8500
END
report heap -leaks
contains "heap_known: leaks in all" 'Total Instances = 10, Total Bytes Leaked = 8500$' heap.txt

# ---- crash 40 3: three threads, 40 blocks of 40 bytes each, none freed
table killed i.heapalloccnt:i.heapallocbytes:i.heapleakcnt:i.heapleakbytes
is "crash: what was allocated before the process was killed" "120 4800 120 4800" "$(row killed allocate)"

# ---- control_known: what was recorded between pauses; 0.1 s of CPU time in each part, 0.3 s while it was paused
table control i.heapalloccnt:i.heapallocbytes:i.heapleakcnt:i.heapleakbytes
is "control_known: before the pause" "120 2000 8 400" "$(row control before)"
is "control_known: after it" "30 600 0 0" "$(row control after)"
is "control_known: not meanwhile, nor behind the end" " " "$(row control meanwhile) $(row control behind)"
table control i.totalcpu
within "control_known: CPU time before" 0.095 0.115 "$(value control before 1)"
within "control_known: CPU time after" 0.095 0.115 "$(value control after 1)"

# ---- JIT functions: 7, 5 and 3 blocks of 100 bytes
table dynamic i.heapalloccnt:i.heapallocbytes
is "dynamic_known: the makers" "7 700/5 500/3 300" "$(row dynamic first_maker)/$(row dynamic second_maker)/$(row dynamic third_maker)"
table jit i.heapalloccnt:i.heapallocbytes
is "jit_known: functions named in three ways" "7 700/5 500/3 300" "$(row jit one)/$(row jit two)/$(row jit three)"

# ---- inlined_heap: 3 blocks of 100 bytes and 2 of 50 by an inlined function, in line 13, by each form of debug information
for name in split package dwz link; do
	table $name i.heapalloccnt:i.heapallocbytes
	is "inlined_heap, $name: make, make_more and what is inlined in both" "3 300/2 100/5 400" "$(row $name make)/$(row $name make_more)/$(row $name block)"
	report $name -leaks
	is "inlined_heap, $name: every leak is of line 13" 5 \
		"$(awk '/Instances =/ { split($0, part, /[=,]/); one = part[3] } /^  block, line 13 in "inlined_heap.c"$/ { n += one } END { print n }' $name.txt)"
done

# ---- burn50 0.15 2: two threads of 0.15 s, half of the time in work_a, 30, 15 and 5 % in the others
table profile i.totalcpu:i%totalcpu
within "burn50: CPU time of two threads" 0.295 0.32 "$(value profile '<Total>' 1)"
for share in work_a:50 work_b:30 work_c:15; do
	sampled "burn50: ${share%:*}" "${share#*:}" "$(value profile "${share%:*}" 2)" "$(awk 'BEGIN { print 0.3 / 0.004 }')"
done
report sampler -metrics e.totalcpu:name -functions
within "burn50 0.04 1, by the kernel's samples: CPU time" 0.038 0.048 "$(value sampler '<Total>' 1)"
# ---- deep 5: main, descend five times, bottom
report odd -calltree
is "deep: frames" "5 1" "$(grep -c -- '+-descend$' odd.txt) $(grep -c -- '+-bottom$' odd.txt)"

# ---- ft_known 2 6: two threads, six rounds
report calls -calls
for expected in worker:2 middle:12 odd:6 leaf:36 fib:354; do
	is "ft_known: calls of ${expected%:*}" "${expected#*:}" "$(value calls "${expected%:*}" 3)"
done
contains "ft_known: an event in each call of middle and of odd" "^# 18 events of the program's own" calls.txt
report calls -metrics i.fcalls:name -functions
is "ft_known: all calls" 410 "$(value calls '<Total>' 1)"

# ---- waits_known: which objects were waited for, how often and how long
report waits -locks
# lock KIND OBJECT: waits, and those that failed; the seconds go to $seconds
lock() { awk -v kind="$1" -v object="$2" 'index($0, " " kind " ") && index($0, " " object) { print $4, $5, $1; exit }' waits.txt; }
while IFS=: read -r kind object waits failed low high; do
	read -r number failures seconds <<<"$(lock "$kind" "$object")"
	is "waits_known: $kind $object: waits, failed" "$waits $failed" "$number $failures"
	within "waits_known: $kind $object: seconds" "$low" "$high" "$seconds"
done <<'END'
mutex:mutex:7:2:0.0095:0.02
barrier:meeting:2:0:0.0049:0.02
thread join:thread:1:0:0.0049:0.02
semaphore:semaphore:2:1:0.0049:0.02
condition:opened:1:0:0.0045:0.02
rwlock:rwlock:3:0:0.0049:0.02
spin lock:spin:2:0:0:0.001
END
table waits i.iowritebytes:i.ioreadbytes:i.ioerrorcnt
is "waits_known: bytes written and read, errors, of files" "86 18 2" "$(row waits use_file)"
is "waits_known: of streams" "15 15 0" "$(row waits use_stream)"
is "waits_known: of pipes and sockets" "23 23 0" "$(row waits use_pair)"

# ---- user_work 3 3: three threads with three jobs each
report user -hooks
for expected in 020-0001:9:144 020-0002:9:72 021-0000:9:144 022-0000:9:144 023-0001:3:48 023-0002:3:48 023-0003:3:48 024-0000:1:0; do
	IFS=: read -r hook events bytes <<<"$expected"
	is "user_work: events and bytes of ${hook/-/, sub-id }" "$events $bytes" "$(awk -v hook="${hook%-*}" -v sub_id="${hook#*-}" '$1 == hook && $2 == sub_id { print $3, $4 }' user.txt)"
done

# ---- omp/known with two threads
report omp -ompregions
for expected in rounds:10 tasks:1 loop:5 nested:2 nested._omp_fn.0:4 late:1; do
	is "omp/known: region ${expected%:*}" "${expected#*:}" "$(sed -nE "s/^${expected%:*}, line [0-9]+ in \"[^\"]*\" +([0-9]+) .*/\1/p" omp.txt)"
done
report omp -ompconstructs
while IFS=: read -r construct place times; do
	is "omp/known: $construct of $place" "$times" \
		"$(sed -nE "s/^$construct +$place\\.[^\"]*\"[^\"]*\" +([0-9]+) .*/\1/p" omp.txt | awk '{ n += $1 } END { print n + 0 }')"
done <<'END'
explicit barrier:rounds:20
critical section:rounds:20
lock:rounds:20
single:tasks:1
task made:tasks:20
task executed:tasks:20
wait for tasks:tasks:2
END

# ---- mpi/known with two ranks: calls, bytes sent, bytes received
report mpi -mpifunctions
while read -r function numbers; do
	is "mpi/known: $function" "$numbers" "$(awk -v name="$function" '$1 == name { print $3, $7, $8 }' mpi.txt)"
done <<'END'
MPI_Send 22 8000 0
MPI_Recv 20 0 8000
MPI_Isend 10 5120 0
MPI_Irecv 10 0 5120
MPI_Sendrecv 2 20 20
MPI_Send_init 2 48 0
MPI_Startall 6 0 0
MPI_Barrier 8 0 0
MPI_Allreduce 4 128 128
MPI_Gatherv 2 12 12
MPI_Alltoall 2 32 32
MPI_Put 2 32 0
MPI_Get 2 0 48
MPI_File_write_at 2 200 0
MPI_File_read_at 2 0 200
END
report mpi -mpimessages
is "mpi/known: 10 + 5 + 1 + 3 messages each way" "0 1 19 6594 19 6594/1 0 19 6594 19 6594" \
	"$(awk '$1 ~ /^[01]$/ { printf "%s%s %s %s %s %s %s", gap, $1, $2, $3, $4, $5, $6; gap = "/" }' mpi.txt)"
report rank -mpifunctions
is "mpi/known: of one rank alone" "11 4000" "$(awk '$1 == "MPI_Send" { print $3, $7 }' rank.txt)"

# ---- JavaSmall: of 12 arrays of a megabyte, the sampled ones, all in fill
report java -javaheap
contains "JavaSmall: arrays of fill" ' byte\[\] .*JavaSmall\.fill' java.txt
within "JavaSmall: their bytes, estimated" 9000000 20000000 "$(awk '$5 == "byte[]" { print $1 }' java.txt)"
