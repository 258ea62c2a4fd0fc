# Attaching to running processes: exact numbers from the attach on, and the process takes no harm.
sources=$(cd "$(dirname "$0")/../programs" && pwd)
. "$(dirname "$0")/lib.sh"

# start KIND THREADS [COMMAND...]: run the target in the background, by COMMAND, until it does what KIND says; its pid is in $target,
# its output in target.out
start()
{
	rm -rf go go.ready go.done
	"${@:3}" "$programs/attached" "$1" "$2" "$PWD/go" "$programs/plugin.so" >target.out 2>target.err &
	target=$!
	wait_for test -d go.ready
}

# finish CLAIM: let the target run to its end, which must be the usual one, without EINTR
finish()
{
	local status i
	touch go
	wait_for test -e go.done
	rm -f go
	for ((i = 0; i < 200 * patience; i++)); do
		kill -0 "$target" 2>/dev/null || break
		sleep 0.05
	done
	kill -9 "$target" 2>/dev/null && not_ok "$1: it hangs"
	wait "$target" 2>/dev/null
	status=$?
	is "$1" "0 right 0" "$status $(cat target.out)"
}

# helper_of TARGET: the process id of the helper that attaches to it
helper_of()
{
	local process words
	for process in /proc/[0-9]*; do
		mapfile -d '' -t words 2>/dev/null <"$process/cmdline" || continue
		[ "${words[0]:-} ${words[2]:-}" != "$BUILD/lib/xer/xer_attach $1" ] || { echo "${process#/proc/}"; return; }
	done
	return 1
}

# attach NAME OPTION...: attach to $target in the background ($recorder), and wait until that is done
attach()
{
	local name=$1
	shift
	rm -f "$name.err" # left by an earlier recording of that name
	# In the background SIGINT is ignored, and newer versions of timeout keep it so.
	env --default-signal=INT timeout -k 5 $((60 * patience)) "$xcollect" -P "$target" -o "$name.er" "$@" >"$name.out" 2>"$name.err" &
	recorder=$!
	wait_for grep -q '^Attached to process' "$name.err" || { not_ok "$name: attached: $(cat "$name.err")"; return 1; }
}

# ---- where system calls are refused, by SELinux for example
start nothing 0
limited 60 "$programs/refuse" ptrace 13 "$xcollect" -P "$target" -o refused.er -t 0.1 >refused.out 2>refused.err
is "a process that may not be traced is not attached to" 126 $?
contains "and that is said" "process $target cannot be traced: Permission denied" refused.err
finish "and it goes on"
if ! traces; then skip "attaching (105 claims)" "no tracing here"; exit 0; fi

# ---- exact numbers: from the attach on, also in a library that is loaded afterwards
for kind in nothing sleep heap; do
	threads=0
	[ $kind = nothing ] || threads=6
	start $kind $threads
	attach $kind -H on -i on -s 1000 -A off
	touch go
	wait_for test -d go.done
	kill -INT "$recorder"
	wait "$recorder"
	is "$kind: xcollect exits 0 after Ctrl-C" 0 $?
	finish "$kind: the process ends as if nothing had been"
	report $kind -metrics i.heapalloccnt:i.heapallocbytes:i.heapleakcnt:i.iowritecnt:i.iowritebytes:i.syncn:name -functions
	is "$kind: known_malloc" "100 1000 0" "$(value $kind known_malloc 1) $(value $kind known_malloc 2) $(value $kind known_malloc 3)"
	is "$kind: known_leak" "7 7000 7" "$(value $kind known_leak 1) $(value $kind known_leak 2) $(value $kind known_leak 3)"
	is "$kind: known_write" "20 100" "$(value $kind known_write 4) $(value $kind known_write 5)"
	is "$kind: a library that comes later" "30 720 20" "$(value $kind plugin_work 1) $(value $kind plugin_work 2) $(value $kind plugin_work 3)"
	within "$kind: a wait for a mutex, and perhaps one for the thread's end" 1 2 "$(value $kind known_lock 6)"
done
report nothing -heapstat -header all
contains "frees of older blocks are unknown ones" 'Frees of unknown blocks  50$' nothing.txt
contains "the header tells of the attach" '^Attached   after ' nothing.txt
contains "and of the detach" '^Status     detached: ' nothing.txt
contains "tables tell that they begin late" ', recorded from an attach on(,|$)' nothing.txt
report nothing -sample_detail
contains "the functions of collectorAPI.h are there from the attach on" ' manual: in the middle$' nothing.txt

# ---- every wrapper of a function that the C library has: an attached program calls the wrapper
nm -D --defined-only "$BUILD/lib/xer/libcollector.so" | awk '$2 ~ /[TW]/ { sub(/@.*/, "", $3); print $3 }' | sort -u >ours
nm -D --defined-only "$(PATH=$PATH:/usr/sbin:/sbin ldconfig -p | awk '$1 == "libc.so.6" { print $NF; exit }')" | awk '$2 ~ /[TWi]/ && /@@/ { sub(/@.*/, "", $3); print $3 }' | sort -u >libc
comm -12 ours libc >names
{
	cat <<-'END'
		#include <dlfcn.h>
		#include <stdio.h>
		#include <string.h>
		#include <unistd.h>
	END
	sed 's/.*/extern char our_&[] __asm__("&");/' names
	echo 'static struct { const char *name; void *volatile at; } all[] = {'
	sed 's/.*/{"&", our_&},/' names
	cat <<-'END'
		};
		int main(int argc, char **argv)
		{
			unsigned theirs = 0;
			Dl_info info;
			for (int i = 0; argc > 1 && i < 1200 && access(argv[1], F_OK) != 0; i++)
				usleep(50000);
			for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
				if (!dladdr(all[i].at, &info) || strstr(info.dli_fname, "libcollector") == NULL) {
					printf("%s ", all[i].name);
					theirs++;
				}
			printf("%u\n", theirs);
			return 0;
		}
	END
} >bindings.c
gcc -w -D_GNU_SOURCE -fPIE -o bindings bindings.c
is "a program with pointers to all functions is built" 0 $?
within "of which there are many" 200 1000 "$(wc -l <names)"
rm -f ready
./bindings ready >bindings.out &
target=$!
sleep 0.2
attach bindings -H on -i on -s on -A off
touch ready
wait "$target"
wait "$recorder"
is "all of them lead to the library that came later" 0 "$(cat bindings.out)"

# ---- a data file is cut off during the recording; after it, SIGBUS is the program's again (the recorder has a handler meanwhile)
catches_sigbus() { echo $((0x$(sed -n 's/^SigCgt:.*\(.\).$/\1/p' "/proc/$target/status") >> 2 & 1)); }
start heap 2
before=$(catches_sigbus)
attach cut -p hi -H on -i on -A off
during=$(catches_sigbus)
wait_for test -s cut.er/heaptrace
truncate -s 0 cut.er/heaptrace
touch go
wait_for test -d go.done
kill -INT "$recorder"
wait "$recorder"
is "SIGBUS is caught during the recording alone" "0 1 0" "$before $during $(catches_sigbus)"
finish "a file is cut off: the process ends as if nothing had been"
report cut -header all
# (If a thread begins another extent just then, the file gets its old length again, with zeros in place of the lost pages.)
contains "a file is cut off: the loss is told" 'data lost in heaptrace: pages|damaged: parts of the experiment could not be read' cut.txt

# ---- CPU time of all threads, from the attach on
start spin 2
sleep 0.5
attach cpu -p on -t 0.6
wait "$recorder"
is "xcollect exits 0 when its time is over" 0 $?
report cpu -functions -header all
# The last part of each thread's time may be missing; on a busy machine that is a large share of such a short time.
within "CPU time is covered" 65 101 "$(sed -nE 's/^# quality: CPU time covered ([0-9.]+) .*/\1/p' cpu.txt | head -1)"
within "and begins with the attach" 0.05 1.9 "$(value cpu '<Total>' 1)"
contains "archives are made" 'libc' <(ls cpu.er/archives)

# ---- again and again, under load, and with the recorder killed
# leftovers: what the process has open, its timers, and its size in 64 KiB
leftovers() { echo "$(ls "/proc/$target/fd" | wc -l) $(grep -c ID: "/proc/$target/timers") $(awk '/VmRSS/ { print int($2 / 64) }' "/proc/$target/status")"; }
read -r fds _ size <<<"$(leftovers)"
# attach_often TIMES OPTION...: one recording after another; counts those that fail in $failures, and prints why
attach_often()
{
	local times=$1 i
	shift
	failures=0
	for ((i = 0; i < times; i++)); do
		limited 90 "$xcollect" -P "$target" -p hi -H on -A off -t 0.05 -O again.er "$@" >again.out 2>again.err && continue
		failures=$((failures + 1))
		cat again.err
	done
}

attach_often 5 -i on -s all -w on
is "five times to one process" 0 $failures
read -r fds_now timers_now size_now <<<"$(leftovers)"
is "no descriptors and no timers are left" "$fds 0" "$fds_now $timers_now"
within "and memory does not grow" 0 $((size + 12)) "$size_now"
finish "which ends as if nothing had been"
start heap 4
attach_often 5 -L 20
is "five times to one that allocates in all threads" 0 $failures
finish "which ends as if nothing had been (2)"

# ---- a process that gets hardly any CPU time: its threads take long to stop, and none may stay half stopped
for ((i = 0; i < 2 * $(nproc); i++)); do
	timeout 1000 bash -c 'while :; do :; done' &
	busy+=($!)
done
start heap 4 nice -n 19
attach_often 1 -L 20
is "to one that gets hardly any CPU" 0 $failures
failed=0
for ((i = 0; i < 5; i++)); do
	nice -n 19 "$programs/burn50" 20 1 >young.out 2>&1 &
	young=$!
	timeout -k 5 90 "$xcollect" -P $young -A off -t 0.05 -O young.er >young.out 2>young.err || grep -q 'try again$' young.err ||
		{ failed=$((failed + 1)); cat young.err; }
	kill $young
	wait $young 2>/dev/null
done
is "five times to one that is still being loaded, or it is said that it takes too long" 0 $failed
kill "${busy[@]}"
wait "${busy[@]}"
finish "which ends as if nothing had been (3)"

# ---- threads that had blocked all signals
start masked 1
attach masked -p on -A off -t 0.6
wait "$recorder"
report masked -functions
within "threads that block all signals are profiled" 80 101 "$(value masked spin 4)"
finish "and go on blocking the others"

# ---- refused, with a remedy in the message, and nothing is left behind
refused()
{
	local claim=$1 status=$2 pattern=$3
	shift 3
	"$@" >refused.out 2>refused.err
	is "$claim: exit status" "$status" $?
	contains "$claim: the reason" "$pattern" refused.err
	is "$claim: one line" 1 "$(grep -vc '^Creating experiment' refused.err)"
	is "$claim: no experiment" "" "$(ls -d ./refused*.er 2>/dev/null)"
}
refused "no such process" 127 'there is no process 4194303' "$xcollect" -P 4194303 -o refused.er
"$programs/static" 77 & static=$!
sleep 300 & sleeper=$!
wait "$static" 2>/dev/null
refused "a program to run as well" 125 'no program to name' "$xcollect" -P "$sleeper" -o refused.er true
if have python3; then
	python3 -c 'import ctypes, threading, time; threading.Thread(target=time.sleep, args=(200,)).start(); ctypes.CDLL(None).syscall(60, 0)' & headless=$!
	wait_for grep -q '^State:.Z' "/proc/$headless/status"
	refused "without its main thread" 126 'its main thread has ended' "$xcollect" -P "$headless" -o refused.er
	kill "$headless"
	wait "$headless" 2>/dev/null
else
	skip "without its main thread" "python3 is not installed"
fi
attach_pid=$sleeper
target=$sleeper
attach first -A off
refused "recorded already" 126 'is being recorded already' "$xcollect" -P "$sleeper" -o refused.er
refused "recorded already, and SIGCHLD is ignored" 126 'is being recorded already' env --ignore-signal=CHLD "$xcollect" -P "$sleeper" -o refused.er
kill -INT "$recorder"
wait "$recorder"
kill -STOP "$sleeper"
wait_for grep -q '^State:.T' "/proc/$sleeper/status"
refused "stopped" 126 'continue it first: kill -CONT' "$xcollect" -P "$sleeper" -o refused.er
kill -CONT "$sleeper"
if [ "$(id -u)" = 0 ] && have setpriv; then
	for_everyone
	refused "another user's" 126 "run xcollect as that user or as root" setpriv --reuid 65534 --clear-groups "$everyones/bin/xcollect" \
		-P "$sleeper" -o "$everyones/refused.er"
else
	skip "another user's" "not root, or no setpriv"
fi
kill "$attach_pid"
wait "$attach_pid" 2>/dev/null

# ---- nohup: the recording goes on when the terminal is closed
start nothing 0
env --ignore-signal=HUP "$xcollect" -P "$target" -o nohup.er -A off -t 60 >nohup.out 2>nohup.err &
recorder=$!
wait_for grep -q '^Attached to process' nohup.err
kill -HUP "$recorder"
sleep 0.2
finish "a process whose recorder is run by nohup"
wait "$recorder"
report nohup -header all
contains "is recorded to its end" '^Status     ended, exit code 0' nohup.txt

# ---- preloaded by hand, without a descriptor: the recorder does nothing until xcollect attaches
start nothing 0 env LD_PRELOAD="$BUILD/lib/xer/libcollector.so"
attach preloaded -H on -A off
touch go
wait_for test -d go.done
kill -INT "$recorder"
wait "$recorder"
finish "a process with the collector preloaded by hand"
report preloaded -metrics i.heapalloccnt:i.heapallocbytes:name -functions
is "preloaded: known_malloc" "100 1000" "$(value preloaded known_malloc 1) $(value preloaded known_malloc 2)"
is "preloaded: a library that comes later" "30 720" "$(value preloaded plugin_work 1) $(value preloaded plugin_work 2)"

# ---- a process that ends by itself, and one that is killed
start nothing 0
attach ends -A off
finish "a process that ends while it is recorded"
wait "$recorder"
is "xcollect ends with it" 0 $?
report ends -header all
contains "its end is in the experiment" '^Status     ended, exit code 0' ends.txt
start sleep 4
attach dies -A off
{ kill -9 "$target" && wait "$target"; } 2>/dev/null
wait "$recorder"
is "xcollect ends with one that is killed" 0 $?

# ---- one thread loads libraries while another looks up symbols: an object that is still being relocated is left alone
cat >relocated.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#define TEN(x) x, x, x, x, x, x, x, x, x, x
#define WRAPPED (const void *)malloc, (const void *)free, (const void *)read, (const void *)pthread_mutex_lock
const void *const table[] = {TEN(TEN(TEN(TEN(WRAPPED))))};
int answer(void) { return table[1] != 0; }
END
cat >loads.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile int is_over;
static void *look(void *nothing)
{
	while (!is_over)
		dlsym(RTLD_DEFAULT, "no_such_function");
	return nothing;
}
int main(void)
{
	pthread_t thread;
	alarm(600);
	pthread_create(&thread, NULL, look, NULL);
	while (access("enough", F_OK) != 0) {
		void *library = dlopen("./relocated.so", RTLD_NOW | RTLD_LOCAL);
		int (*answer)(void) = library ? (int (*)(void))dlsym(library, "answer") : NULL;
		if (!answer || answer() != 1)
			return 2;
		dlclose(library);
		usleep(200);
	}
	is_over = 1;
	pthread_join(thread, NULL);
	puts("right");
	return 0;
}
END
gcc -w -O1 -shared -fPIC -Wl,-z,relro,-z,now -o relocated.so relocated.c && gcc -w -O1 -o loads loads.c -lpthread -ldl
rm -f enough target.out
./loads >target.out 2>&1 &
target=$!
attach loads -s on -H on -A off -t 0.7
wait "$recorder"
touch enough
{ wait "$target"; status=$?; } 2>/dev/null
is "a process that loads libraries in one thread and looks for symbols in another" "0 right" "$status $(cat target.out)"

# ---- the helper is killed at a random moment: the process goes on, and can be attached to again
start sleep 4
for delay in 0.01 0.02 0.03 0.05; do
	timeout -k 5 $((60 * patience)) "$xcollect" -P "$target" -H on -A off -t 0.05 -o killed.er >killed.out 2>killed.err &
	recorder=$!
	sleep $delay
	helper=$(helper_of "$target") && kill -9 "$helper" 2>/dev/null
	wait "$recorder" 2>/dev/null
	rm -rf killed*.er
done
succeeds "a process whose attaches were killed can be attached to" "$xcollect" -P "$target" -t 0.05 -A off -o after.er
sleep 1
finish "and has not noticed"

# ---- children and programs that the process starts after the attach are recorded
rm -f go ready
bash -c ': >ready; while [ ! -e go ]; do sleep 0.05; done; (exit 3); true; sh -c "exit 4"; while [ -e go ]; do sleep 0.05; done' &
target=$!
wait_for [ -e ready ] # the process may not have loaded the C library before
attach family -A off
touch go
sleep 0.3
rm -f go
wait "$target"
wait "$recorder"
report family -exp_list
contains "a child of the process" 'ended, exit code 3 ' family.txt
contains "a program that a child executes" 'ended, exit code 4 .*: sh -c' family.txt

# ---- real programs
if have python3; then
	python3 -c '
import json, os
while not os.path.exists("go"):
    text = json.dumps({str(i): [i] * 3 for i in range(200)})
    assert len(json.loads(text)) == 200
print("right")' >target.out 2>target.err &
	target=$!
	sleep 0.3
	failures=0
	for ((i = 0; i < 3; i++)); do
		limited 60 "$xcollect" -P "$target" -H on -i on -s all -w on -A off -t 0.1 -O python.er >python.out 2>python.err || failures=$((failures + 1))
	done
	touch go
	wait "$target"
	is "python3: three times" "0 right 0" "$? $(cat target.out) $failures"
	rm -f go
else
	skip "python3" "not installed"
fi
if have redis-server redis-benchmark redis-cli; then
	port=$((20000 + $$ % 10000))
	redis-server --port $port --bind 127.0.0.1 --save "" --appendonly no >redis.log 2>&1 &
	target=$!
	wait_for redis-cli -p $port ping
	redis-benchmark -p $port -q -n 200000 -c 20 -t set,get >benchmark.out 2>&1 &
	load=$!
	failures=0
	for ((i = 0; i < 3; i++)); do
		limited 60 "$xcollect" -P "$target" -H on -i on -s all -w on -A off -L 20 -t 0.2 -O redis.er >redis.out 2>redis.err || failures=$((failures + 1))
	done
	kill $load 2>/dev/null
	wait $load 2>/dev/null
	redis-cli -p $port set answer 42 >/dev/null
	answer=$(redis-cli -p $port get answer)
	redis-cli -p $port shutdown nosave
	wait "$target"
	is "redis under load: three times" "0 42 0" "$? $answer $failures"
else
	skip "redis under load" "redis is not installed"
fi

# ---- function tracing: of sleds and of -finstrument-functions, in a program whose threads run traced functions during the attach

# round: let the target make its known calls once
round()
{
	touch go
	wait_for test -e done || { not_ok "the target makes its calls"; return 1; }
	rm -f go
	wait_for test ! -e done
}

# traced CLAIM PROGRAM: attach to it twice, with other patterns the second time
traced()
{
	local claim=$1 program=$2 status
	rm -rf first.er second.er go done
	"$program" "$PWD/go" "$PWD/done" >target.out 2>target.err &
	target=$!
	sleep 0.2
	attach first --functrace -p off -A off
	round
	kill -INT "$recorder"
	wait "$recorder"
	round # a round that is not recorded
	attach second '--functrace=known*,leaf,!known_odd' -p off -A off
	round
	kill -INT "$recorder"
	wait "$recorder"
	wait "$target"
	status=$?
	is "$claim: the program is unharmed" "0 right" "$status $(cat target.out)"
	report first -calls
	is "$claim: exact numbers" "1000 3000 500" "$(value first known 3) $(value first leaf 3) $(value first known_odd 3)"
	[ "$(value first turn 3)" -gt 100 ] && ok "$claim: calls of threads that ran already" || not_ok "$claim: calls of threads that ran already"
	report second -calls
	is "$claim: exact numbers of other functions the second time" "1000 3000  " "$(value second known 3) $(value second leaf 3) $(value second known_odd 3) $(value second turn 3)"
	contains "$claim: nothing is lost" ' 0 lost' second.txt
	needs "$claim: llvm-xray verifies it" 1 llvm-xray && succeeds "$claim: llvm-xray verifies it" timeout 60 llvm-xray fdr-dump -verify second.er/functrace
}
traced "calls of hooks" "$programs/ft_attached"
if have clang && clang -D_GNU_SOURCE -O2 -g -fxray-instrument -fxray-instruction-threshold=1 -o sleds "$sources/ft_attached.c" -lpthread 2>sleds.log; then
	traced "sleds" ./sleds
else
	skip "function tracing of sleds after attach" "clang is not installed, or cannot link with -fxray-instrument"
fi

# ---- JIT code: a second recording has it too, in its own file
rm -rf first.er second.er go done
bytes=()
"$programs/jit_attached" "$PWD/go" "$PWD/done" >target.out 2>target.err &
target=$!
sleep 0.2
for name in first second; do
	attach $name -p off -H on -A off
	round
	kill -INT "$recorder"
	wait "$recorder"
	report $name -metrics i.heapalloccnt:name -functions
	is "JIT code: the $name recording shows it" 7 "$(value $name '<jit>+0x0' 1)"
	bytes+=("$(stat -c %s $name.er/dyntext)")
done
is "JIT code: the second recording leaves the first as it was" "${bytes[0]:-none}" "$(stat -c %s first.er/dyntext)"
round
wait "$target"
status=$?
is "JIT code: the program is unharmed" "0 right" "$status $(cat target.out)"
