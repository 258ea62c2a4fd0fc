# What happens after an attach: programs that children execute by every form of exec, user events; and a second attach to the same
# process.
include=$(cd "$(dirname "$0")/../../include" && pwd)
. "$(dirname "$0")/lib.sh"

needs "what begins after an attach" "" gcc || exit 0
if ! traces; then skip "what begins after an attach (11 claims)" "no tracing here"; exit 0; fi

# start PROGRAM ARGUMENT...: run it in the background, as $target, until it has its own name and its libraries; it goes on as long as
# this script may take
start()
{
	rm -rf go ready
	timeout $((240 * patience)) "$@" >target.out 2>&1 &
	target=$!
	wait_for [ -e ready ]
	target=$(cut -d' ' -f1 "/proc/$target/task/$target/children")
}

# attach NAME OPTION...: attach to $target in the background ($recorder), and wait until that is done
attach()
{
	local name=$1
	shift
	rm -rf "$name.err" "$name.er"
	env --default-signal=INT timeout -k 5 $((60 * patience)) "$xcollect" -P "$target" -o "$name.er" -A off "$@" >"$name.out" 2>"$name.err" &
	recorder=$!
	wait_for grep -q '^Attached to process' "$name.err" || { not_ok "$name: attached: $(cat "$name.err")"; return 1; }
}

cat >children.c <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static void become(int form)
{
	char *argv[] = {"echo", "word", NULL};
	switch (form) {
	case 0: execl("/bin/echo", "echo", "word", (char *)NULL); break;
	case 1: execlp("echo", "echo", "word", (char *)NULL); break;
	case 2: execle("/bin/echo", "echo", "word", (char *)NULL, environ); break;
	case 3: execv("/bin/echo", argv); break;
	case 4: execvp("echo", argv); break;
	case 5: execvpe("echo", argv, environ); break;
	case 6: execve("/bin/echo", argv, environ); break;
	case 7: execveat(AT_FDCWD, "/bin/echo", argv, environ, 0); break;
	case 8: fexecve(open("/bin/echo", O_RDONLY | O_CLOEXEC), argv, environ); break;
	}
}
int main(void)
{
	pid_t pid;
	close(creat("ready", 0600));
	while (access("go", F_OK) != 0)
		usleep(50000);
	for (int form = 0; form < 9; form++) {
		pid = fork();
		if (pid == 0) {
			become(form);
			_exit(9);
		}
		waitpid(pid, NULL, 0);
	}
	pid = fork();
	if (pid == 0) {
		if (daemon(1, 1) == 0)
			for (int i = 0; i < 100; i++)
				free(malloc(40));
		open("daemon.done", O_CREAT | O_WRONLY, 0600);
		_exit(4);
	}
	waitpid(pid, NULL, 0);
	return 0;
}
C
builds "a program with children" gcc -D_GNU_SOURCE -w -O1 -fno-builtin -o children children.c
start ./children
attach children -H on
touch go
wait "$recorder"
wait_for test -e daemon.done
wait_for grep -q 'kind="exit"' children.er/_f10_f1.er/log.xml
is "children by all forms of exec have said it" 9 "$(grep -c '^word$' target.out)"
is "and the programs that they executed are recorded" 9 "$(ls -d children.er/_f[1-9]_x1.er 2>/dev/null | wc -l)"
report children -experiment_list
is "to their ends" 9 "$(grep -c 'ended, exit code 0 .*_f[1-9]_x1: echo word' children.txt)"
is "daemon: the parent, which ends, and the child" "1 1" "$(grep -c ' ended, exit code 0 .*_f10: ' children.txt) $(grep -c ' ended, exit code 4 .*_f10_f1: ' children.txt)"

# ---- user events, twice
cat >logs.c <<'C'
#include <sys/trchkid.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	close(creat("ready", 0600));
	for (int round = 1; round <= 2; round++) {
		char name[20];
		snprintf(name, sizeof(name), "go%d", round);
		for (int i = 0; access(name, F_OK) != 0; i++) {
			TRCHKL1(0x12300001, i); /* before the recording, or before `go`: not counted here */
			usleep(20000);
		}
		for (int i = 0; i < 1000; i++)
			TRCHKL1(0x12400001, i);
		snprintf(name, sizeof(name), "done%d", round);
		fclose(fopen(name, "w"));
	}
	sleep(1);
	return 0;
}
C
for kind in pie no-pie; do
	builds "a program that logs events ($kind)" gcc -I"$include" -O2 "-f$kind" "-$kind" -o logs logs.c
	rm -f go? done?
	start ./logs
	for round in 1 2; do
		attach "logs$round" --hooks=on
		touch go$round
		wait_for test -e done$round
		kill -INT "$recorder"
		wait "$recorder"
		is "user events after attach $round ($kind)" 1000 "$(limited 60 "$readers/xer_trcrpt" -h -r -d 124 "logs$round.er" | grep -c '^124')"
	done
done

# ---- a second attach to a process with threads: each thread is counted once
cat >spins.c <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static __thread void *volatile kept;
static void *spin(void *nothing)
{
	char bytes[8192];
	for (;;) {
		for (int i = 0; i < 50; i++) {
			kept = malloc(100 + i * 400);
			free(kept);
		}
		for (int i = 0; i < 100; i++)
			memset(bytes, i, sizeof(bytes));
		__asm__ volatile("" : : "r"(bytes) : "memory");
	}
	return nothing;
}
int main(void)
{
	pthread_t thread;
	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, spin, NULL);
	close(creat("ready", 0600));
	spin(NULL);
}
C
builds "a program with threads" gcc -w -O0 -o spins spins.c -lpthread
start ./spins
for round in 1 2 3 4 5; do
	attach spins -t 0.4
	wait "$recorder"
	report spins -threads
	sed -nE 's/^# quality: CPU time covered ([0-9.]+) .*/\1/p' spins.txt | head -1 >>covered
	grep -c ', Thread [0-9]' spins.txt >>threads
	# CPU time without samples
	"$xer_print" -metrics e.%totalcpu:name -functions spins.er | awk '/<Unknown>/ { unknown = $2 } END { print unknown + 0 }' >>unknown
done
kill "$target"
is "a second attach to a process with threads: no CPU time is counted twice" 0 "$(awk '$1 > 105' covered | wc -l)"
is "in five recordings" 5 "$(wc -l <covered)"
is "and all threads have samples" 0 "$(awk '$1 > 20' unknown | wc -l)"
is "and no thread is listed twice" 0 "$(awk '$1 > 4' threads | wc -l)"
