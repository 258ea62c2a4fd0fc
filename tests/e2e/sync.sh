# Synchronization tracing: exact numbers of calls in 8 threads, thresholds, C++.
. "$(dirname "$0")/lib.sh"

record known -p off -s all -- "$programs/sync_known" 8
is "no call returns something else than unrecorded" "errors 0" "$(cat known.out)"
report known -metrics i.syncn:name -functions
is "its report exits 0" 0 $?
for expected in do_mutex:800 do_trylock:160 do_timedlock:80 do_rwlock:320 do_spin:240 do_semaphore:200 do_c11:120 do_barrier:40 \
	do_sysv:48 join_all:8; do
	is "${expected%:*}: every call is counted" "${expected#*:}" "$(value known "${expected%:*}" 1)"
done

record none -p off -s off -- "$programs/sync_known" 2
[ ! -e none.er/synctrace ] && ok "-s off records nothing" || not_ok "-s off records something"

# Only the timed locks that fail, the barrier and a few others wait for half a millisecond.
record slow -p off -s 500 -- "$programs/sync_known" 4
report slow -metrics i.syncn:name -functions
is "a threshold keeps the failed timed locks" 20 "$(value slow do_timedlock 1)"
is "and drops free mutexes" "" "$(value slow do_mutex 1)"

record cxx -p off -s all -- "$programs/sync_cxx"
report cxx -metrics i.syncn:i.sync:name -functions
is "std::mutex is seen" 200 "$(value cxx 'locks()' 1)"
is "std::shared_mutex is seen" 80 "$(value cxx 'shared()' 1)"
within "std::atomic::wait is seen" 4 400 "$(value cxx 'atomic_waits()' 1)"
within "and its time" 0.05 1.0 "$(value cxx 'atomic_waits()' 2)"
within "std::counting_semaphore is seen" 4 400 "$(value cxx 'semaphores()' 1)"

for view in sync locks syncwaits; do
	report known "-$view"
	is "$view exits 0" 0 $?
done
report known -locks
contains "locks names the site that made an object" 'do_mutex' known.txt

record old -p off -s all -- "$programs/oldversions" cond
is "old condition variables are served by their own functions" "0 rounds 50 timeouts 50" "$? $(cat old.out)"
report old -metrics i.syncn:name -functions
within "old waits are recorded" 1 200 "$(value old wait_old 1)"
is "and those with a timeout" 50 "$(value old time_out 1)"
record oldexit -- "$programs/oldversions" quick_exit 7
is "the old quick_exit" 7 $?
contains "it is recorded as an end" 'kind="exit".* code="7"' oldexit.er/log.xml
report known -limit 0 -locks
contains "locks names the mutex of a condition variable" ' condition +opened with gate;' known.txt
report known -limit 0 -syncwaits
contains "so does syncwaits" '^  pthread_cond_wait\(opened, gate\)' known.txt
