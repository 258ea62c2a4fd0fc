# Constructors of libraries: what runs before main is recorded like everything else, and finds its surroundings as without a recorder.
. "$(dirname "$0")/lib.sh"

needs "constructors" "" gcc || exit 0

cat >early.c <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
void *volatile early_kept[100];
__attribute__((noinline)) static void early_allocate(void)
{
	for (int i = 0; i < 100; i++)
		early_kept[i] = malloc(50);
	__asm__ volatile("");
}
__attribute__((noinline)) static void early_read(void)
{
	char bytes[40];
	int file = open("/dev/zero", O_RDONLY);
	if (read(file, bytes, sizeof(bytes)) != sizeof(bytes))
		abort();
	close(file);
}
/* What it sees of the environment and of its arguments. */
static void say(int argc, char **argv, char **envp)
{
	int ours = 0;
	for (char **at = envp; *at; at++)
		ours += strncmp(*at, "XER_", 4) == 0 || strstr(*at, "libcollector") != NULL;
	printf("%d %s %d %d %s %s\n", argc, argv[1], ours, envp == environ, getenv("CHOSEN"), getenv("LD_PRELOAD") ? "preload" : "none");
	fflush(stdout);
}
static __attribute__((constructor)) void early(int argc, char **argv, char **envp)
{
	pid_t child;
	early_allocate();
	early_read();
	say(argc, argv, envp);
	child = fork();
	if (child == 0) {
		free(malloc(70));
		_exit(3);
	}
	waitpid(child, NULL, 0);
	system("exit 4");
}
static __attribute__((destructor)) void late(void)
{
	free(early_kept[0]);
	puts("the end");
}
int early_value(void) { return 5; }
C
printf 'int early_value(void);\nint main(void) { return early_value(); }\n' >uses.c
cat >other.c <<'C'
#include <stdlib.h>
void *volatile other_kept;
__attribute__((noinline)) static void other_allocate(void)
{
	for (int i = 0; i < 7; i++)
		other_kept = malloc(30);
	__asm__ volatile("");
}
static __attribute__((constructor)) void other(void) { other_allocate(); }
C
builds "the libraries" gcc -O1 -g -shared -fPIC -o libearly.so early.c
builds "the preloaded one" gcc -O1 -g -shared -fPIC -o other.so other.c
builds "the program" gcc -O1 -g -o uses uses.c ./libearly.so
metrics=(-metrics i.heapalloccnt:i.heapallocbytes:i.heapleakcnt:i.ioreadbytes:name -functions)

# same CLAIM NAME VARIABLE... -- PROGRAM: it says and returns what it does without a recorder; recorded into NAME.er
same()
{
	local claim=$1 name=$2 variables=(CHOSEN=yes) plain recorded
	shift 2
	while [ "$1" != -- ]; do
		variables+=("$1")
		shift
	done
	shift
	env "${variables[@]}" "$@" first >plain.out 2>&1
	plain=$?
	env "${variables[@]}" timeout -k 5 $((60 * patience)) "$xcollect" -p off -H on -i on -A off -o "$name.er" "$@" first >recorded.out 2>recorded.err
	recorded=$?
	is "$claim" "$plain $(<plain.out)" "$recorded $(<recorded.out)"
	is "$claim: a known environment" "2 first 0 1 yes" "$(cut -d' ' -f1-5 recorded.out | head -1)"
}

same "a linked library" linked -- ./uses
report linked "${metrics[@]}"
is "its allocations" "100 5000 99" "$(value linked early_allocate 1) $(value linked early_allocate 2) $(value linked early_allocate 3)"
is "what it reads" 40 "$(value linked early_read 4)"
contains "its stacks are whole" ', 0 truncated stacks ' linked.txt
is "and its children" "_c1.er _f1.er" "$(cd linked.er && echo _*.er)"

same "another library is preloaded" preloaded LD_PRELOAD="$PWD/other.so" -- ./uses
report preloaded "${metrics[@]}"
is "constructors of both, one also in the shell" "100 14" "$(value preloaded early_allocate 1) $(value preloaded other_allocate 1)"

# A script that puts its own library first. Programs that are linked statically have our variables, and pass them on.
cat >swap.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char text[4096];
	snprintf(text, sizeof(text), "%s:%s", argv[1], getenv("LD_PRELOAD"));
	setenv("LD_PRELOAD", text, 1);
	execv(argv[2], argv + 2);
	return argc;
}
C
if gcc -static -O1 -o swap swap.c 2>/dev/null; then
	record swapped -p off -H on -i on -A off -- sh -c 'CHOSEN=yes ./swap "$0" ./uses first; exit $?' "$PWD/other.so"
	is "a library that is preloaded before the recorder" 5 $?
	report swapped "${metrics[@]}"
	within "its constructor is recorded, too" 7 14 "$(value swapped other_allocate 1)"
	is "and that of the linked one" 100 "$(value swapped early_allocate 1)"
else
	skip "a library that is preloaded before the recorder" "no static C library" 3
fi

if have g++ && printf '#include <string>\n#include <vector>\nstatic std::vector<std::string> table(30, std::string(100, 65));\nint main() { return (int)table.size() - 30; }\n' >own.cc &&
	g++ -O1 -g -o own own.cc 2>/dev/null; then
	record own -p off -H on -A off -- ./own
	report own -heapstat -leaks
	contains "constructors of the C++ library: its reserve for exceptions is allocated" '64 KiB to < +128 KiB +1$' own.txt
	contains "and is no leak, since it is kept for good" '^Summary Results: Distinct Leaks = 0,' own.txt
else
	skip "the C++ library" "no g++" 2
fi

if makes_32 gcc && ./try && gcc "${m32[@]}" -O1 -shared -fPIC -o libearly32.so early.c 2>/dev/null && gcc "${m32[@]}" -O1 -o uses32 uses.c ./libearly32.so 2>/dev/null; then
	same "of 32 bits" narrow -- ./uses32
	is "of 32 bits: its children" "_c1.er _f1.er" "$(cd narrow.er && echo _*.er)"
else
	skip "of 32 bits" "gcc -m32 does not work, or such programs do not run here" 3
fi
