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

# A free lock is seen by its word: no other function is called in its place.
record robust -p off -- "$programs/locks_known" robust
is "a robust mutex that is beyond use says so" "0 died 1 lost 1" "$? $(cat robust.out)"
record held -p off -s all -- "$programs/locks_known" robust
report held -limit 0 -locks
is "waits for it: the lock whose owner died is held, that beyond use failed" "3 1" "$(awk '$7 == "mutex" && $8 == "robust;" { print $4, $5 }' held.txt)"
if have gcc; then
	cat >count.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static int calls;

#define COUNT(function, type) \
	int function(type *lock) \
	{ \
		static int (*real)(type *); \
\
		if (!real) \
			real = (int (*)(type *))dlsym(RTLD_NEXT, #function); \
		calls++; \
		return real(lock); \
	}
COUNT(pthread_mutex_lock, pthread_mutex_t)
COUNT(pthread_rwlock_rdlock, pthread_rwlock_t)
COUNT(pthread_rwlock_wrlock, pthread_rwlock_t)

__attribute__((destructor)) static void tell(void)
{
	printf("calls %d\n", calls);
}
END
	gcc -O1 -shared -fPIC -o libcount.so count.c -ldl
	LD_PRELOAD=./libcount.so record counted -p off -A off -- "$programs/locks_known" count
	is "another library's wrappers of locks are called" "$(LD_PRELOAD=./libcount.so "$programs/locks_known" count)" "$(cat counted.out)"
else
	skip "another library's wrappers of locks are called" "gcc is not installed" 1
fi

record once -p off -s on -- "$programs/locks_known" once
is "routines run once" "0 runs 2" "$? $(cat once.out)"
report once -metrics i.syncn:i.sync:name -functions
for function in do_once do_call_once; do
	is "$function: the wait for the other thread alone" 1 "$(value once $function 1)"
	within "$function: its time" 0.04 10 "$(value once $function 2)"
done
report once -limit 0 -locks
is "of two objects" 2 "$(grep -c ' once  *\(once\|flag\);' once.txt)"

record cancel -p off -s on -- "$programs/locks_known" cancel
is "threads that are cancelled in waits" "0 cancelled 3" "$? $(cat cancel.out)"
report cancel -metrics i.syncn:i.sync:name -functions
for function in wait_cond wait_semaphore wait_join; do
	is "$function: a wait that ends by cancellation" 1 "$(value cancel $function 1)"
	within "$function: its time" 0.05 10 "$(value cancel $function 2)"
done
report cancel -limit 0 -syncwaits
is "how they ended" 3 "$(grep -c 'not granted: Operation canceled' cancel.txt)"

# Waits that never end.
record exits -p off -s on -- "$programs/open_waits" exit
report exits -limit 0 -syncwaits
is "a thread that waits at exit: its wait" 1 "$(grep -c 'pthread_cond_wait(c, a), has not ended' exits.txt)"
contains "its stack" '^    wait_c ' exits.txt
report exits -metrics i.syncn:i.sync:name -functions
within "it lasts until the exit" 0.05 10 "$(value exits wait_c 2)"
record left -p off -s on -- "$programs/open_waits" left
is "a wait that is left by a jump out of a handler" "0 left 1" "$? $(cat left.out)"
report left -limit 0 -syncwaits
is "it is not open" 0 "$(grep -c 'has not ended' left.txt)"
contains "and the next one is recorded" 'sem_wait\(s\)$' left.txt

# Beside a wait that never ends, the program worked until it was killed: the wait lasted as long as anything is known.
record beside -p on -S 0.1 -s on -- "$programs/open_waits" beside
report beside -metrics i.syncn:i.sync:name -functions
within "the wait of a killed process lasts until the last usage sample" 0.4 100 "$(value beside wait_s 2)"

# A deadlock: read while it lasts, and after the process was killed.
"$xcollect" -p off -s on -o dead.er "$programs/open_waits" deadlock >dead.out 2>dead.err &
dead=$!
for _ in $(seq 600); do
	grep -q waiting dead.out && [ "$("$xer_print" -limit 0 -syncwaits dead.er | grep -c 'has not ended')" = 4 ] && break
	sleep 0.1
done
report dead -metrics i.syncn:i.sync:name -functions
within "a wait of a process that runs lasts until now" 0.1 100 "$(value dead take_ab 2)"
sleep 0.3
report dead -limit 0 -sync
absent "a process that runs is not told to be killed" 'killed' dead.txt
kill -KILL "$dead"
wait "$dead" 2>/dev/null
for view in sync locks; do
	report dead -limit 0 "-$view"
	contains "$view counts the waits that have not ended" '^# 4 waits had not ended .*killed' dead.txt
done
report dead -limit 0 -syncwaits
is "a deadlock: who waits for what" "join_first;take_ab b;take_ba a;wait_s s;" "$(
	awk '/has not ended/ { split($1, part, /[()]/); object = part[1] == "pthread_join" ? "" : " " part[2]; getline; print $1 object }' dead.txt |
		sort | tr '\n' ';')"
