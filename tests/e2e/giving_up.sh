# A process gives up descriptors, its user, its root directory. It does not notice the recorder, and is still recorded afterwards.
tests=$(realpath "$(dirname "$0")/..")
. "$(dirname "$0")/lib.sh"

needs "what a process gives up" "" gcc || exit 0

cat >gives.c <<'C'
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <linux/capability.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/trchkid.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
void *volatile kept;
__attribute__((noinline)) static void mark(int count)
{
	for (int i = 0; i < count; i++)
		kept = malloc(40);
	__asm__ volatile("");
}
__attribute__((noinline)) static void again(int count)
{
	for (int i = 0; i < count; i++)
		kept = malloc(50);
	__asm__ volatile("");
}
static int open_all(void)
{
	int count = 0;
	while (open("/dev/null", O_RDONLY) >= 0)
		count++;
	return count;
}
/* Open directories besides the one that lists them, and whether any descriptor leads to one. */
static int directories(void)
{
	DIR *list = opendir("/proc/self/fd");
	struct dirent *entry;
	struct stat status;
	int count = 0;
	while ((entry = readdir(list)))
		if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(list) &&
		    fstatat(dirfd(list), entry->d_name, &status, 0) == 0 && S_ISDIR(status.st_mode))
			count++;
	closedir(list);
	return count;
}
static void limit(rlim_t most)
{
	struct rlimit limits = {most, most};
	setrlimit(RLIMIT_NOFILE, &limits);
}
static void child(void (*give_up)(void))
{
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		give_up();
		mark(1000);
		_exit(3);
	}
	waitpid(pid, &status, 0);
	printf("%d\n", WEXITSTATUS(status));
}
static void *mark_in_thread(void *unused)
{
	mark(1000);
	return unused;
}
static void keep_all(void)
{
}
/* With all descriptors taken: a thread, a child. */
static void take_all(void)
{
	pthread_t thread;
	mark(1000);
	printf("%d\n", open_all());
	mark(1000);
	pthread_create(&thread, NULL, mark_in_thread, NULL);
	pthread_join(thread, NULL);
	child(keep_all);
}
static void drop(void)
{
	if (setgid(65534) != 0 || setuid(65534) != 0)
		_exit(9);
}
static void burn(double seconds)
{
	while (clock() < seconds * CLOCKS_PER_SEC)
		continue;
}
/* Their children use a third of the CPU time. */
static void burn_and_fork(void)
{
	burn(0.4);
	if (fork() == 0) {
		burn(0.2);
		_exit(0);
	}
	wait(NULL);
}
static void drop_and_fork(void)
{
	drop();
	burn_and_fork();
}
static void drop_raw(void)
{
	if (syscall(SYS_setresuid, 65534, 65534, 65534) != 0)
		_exit(9);
}
static void leave(void)
{
	mkdir("jail", 0755);
	if (chroot("jail") != 0 || chdir("/") != 0)
		_exit(9);
}
/* It cannot reach the experiment any more. */
static void leave_and_fork(void)
{
	leave();
	burn_and_fork();
}
int capset(struct __user_cap_header_struct *, struct __user_cap_data_struct *);
static int no_capabilities(void)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct none[2] = {{0, 0, 0}};
	return capset(&header, none);
}
static int own_namespace(void)
{
	int fd = open("/proc/self/ns/uts", O_RDONLY), status = setns(fd, 0);
	close(fd);
	return status;
}
static int low_limit(void)
{
	struct rlimit limits = {3, 3};
	return prlimit(0, RLIMIT_NOFILE, &limits, NULL);
}
/* No file can be opened from here on. */
static int no_files(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {4, filter};
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? 0 : -1;
}
static const char *way;
static void by(void)
{
	const uid_t other = 65534;
	int status = -1;
	if (strcmp(way, "seccomp") == 0)
		status = no_files();
	else if (strcmp(way, "setreuid") == 0)
		status = setreuid(other, other);
	else if (strcmp(way, "setresuid") == 0)
		status = setresuid(other, other, other);
	else if (strcmp(way, "seteuid") == 0)
		status = seteuid(other);
	else if (strcmp(way, "setfsuid") == 0)
		status = (setfsuid(other), 0);
	else if (strcmp(way, "capset") == 0)
		status = no_capabilities();
	else if (strcmp(way, "unshare") == 0)
		status = unshare(CLONE_NEWUTS);
	else if (strcmp(way, "setns") == 0)
		status = own_namespace();
	else if (strcmp(way, "prlimit") == 0)
		status = low_limit();
	if (status != 0)
		_exit(9);
}
/* Regions of OpenMP and user events of two traces, the first that there are. */
static void others(void)
{
	if (no_files() != 0)
		_exit(9);
	for (int i = 0; i < 20; i++) {
#pragma omp parallel num_threads(2)
		kept = &way;
		TRCHKL1(HKWD_USER1, i);
		TRCHKL1(HKWD_USER2, i);
	}
}
/* Chromium's zygote goes to an empty root directory by such a child, and makes its children by the
 * other. */
static int go_to_jail(void *unused)
{
	(void)unused;
	mkdir("jail", 0755);
	_exit(chroot("jail") == 0 ? 0 : 9);
}
static jmp_buf begin;
static int jump(void *unused)
{
	(void)unused;
	longjmp(begin, 1);
}
static void end_child(pid_t pid)
{
	int status = 0;
	if (pid == 0) {
		alarm(10);
		mark(10);
		if (setjmp(begin) == 0)
			jump(NULL);
		_exit(3);
	}
	if (pid < 0 || waitpid(pid, &status, __WALL) < 0)
		_exit(8);
	printf("%x\n", status);
	fflush(stdout);
}
static char stack[1 << 16] __attribute__((aligned(16)));
static pid_t cloned(void)
{
	return setjmp(begin) ? 0 : clone(jump, stack + sizeof(stack), SIGCHLD, NULL);
}
/* By each call that makes children; the last one is nobody's. */
static void children(void)
{
	long pid;
	end_child(cloned());
	end_child(cloned());
	end_child(_Fork());
	end_child(syscall(SYS_fork));
	__asm__ volatile("syscall" : "=a"(pid) : "0"(SYS_fork) : "rcx", "r11", "memory");
	end_child((pid_t)pid);
}
static void zygote(void)
{
	int status = 1;
	pid_t pid = clone(go_to_jail, stack + sizeof(stack), CLONE_VM | CLONE_FS | CLONE_VFORK | SIGCHLD, NULL);
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0 || access("/tmp", F_OK) == 0)
		_exit(9);
	children();
}
/* With xcollect -y USR1, nothing is recorded while files can still be created. */
static void begin_late(void)
{
	signal(SIGUSR1, SIG_IGN);
	if (no_files() != 0)
		_exit(9);
	raise(SIGUSR1);
}
void collector_terminate_expt(void) __attribute__((weak));
static void terminated(void)
{
	if (collector_terminate_expt)
		collector_terminate_expt();
	children();
}
int main(int argc, char **argv)
{
	const char *what = argv[argc - 1];
	way = what;
	if (strcmp(what, "directories") == 0) {
		printf("%d\n", directories());
		mark(1000);
		child(drop);
		printf("%d\n", directories());
	} else if (strcmp(what, "limit") == 0) {
		limit(16);
		mark(1000);
		printf("%d\n", open_all());
		for (int fd = 3; fd < 16; fd++)
			close(fd);
		mark(1000);
	} else if (strcmp(what, "few") == 0) {
		take_all();
	} else if (strcmp(what, "closefrom") == 0) {
		mark(10);
		closefrom(3);
		printf("%d\n", open_all() > 900);
		mark(5000);
		closefrom(3);
		usleep(20000);
		again(1000);
	} else if (strcmp(what, "drop") == 0) {
		child(drop);
	} else if (strcmp(what, "grandchild") == 0) {
		child(drop_and_fork);
	} else if (strcmp(what, "prisoner") == 0) {
		child(leave_and_fork);
	} else if (strcmp(what, "drop_raw") == 0) {
		child(drop_raw);
	} else if (strcmp(what, "chroot") == 0) {
		child(leave);
	} else if (strcmp(what, "late") == 0) {
		child(begin_late);
	} else if (strcmp(what, "zygote") == 0) {
		child(zygote);
	} else if (strcmp(what, "terminated") == 0) {
		terminated();
	} else if (strcmp(what, "others") == 0) {
		others();
	} else {
		child(by);
	}
	return 0;
}
C
builds "the program" gcc -O1 -g -w -pthread -fopenmp -I"$tests/../include" -o gives gives.c
metrics=(-metrics i.heapalloccnt:name -functions)

# same CLAIM WHAT [OPTION...]: it prints and returns the same as without a recorder; recorded into WHAT.er
same()
{
	local plain recorded
	(ulimit -n 1024 && limited 60 ./gives "$2") >plain.out 2>&1
	plain=$?
	(ulimit -n 1024 && limited 60 "$xcollect" -H on -A off "${@:3}" -o "$2.er" ./gives "$2") >recorded.out 2>recorded.err
	recorded=$?
	is "$1" "$plain $(xargs <plain.out)" "$recorded $(xargs <recorded.out)"
	report "$2" "${metrics[@]}" -header all
}

same "no directory is open in the program: sandboxes refuse to begin then" directories
same "a limit of 16: as many files can be opened" limit
is "and everything is recorded" 2000 "$(value limit mark 1)"
same "closefrom, and files until none can be opened" closefrom
contains "when there are descriptors again, recording goes on" '^Status +ended, exit code 0$' closefrom.txt
is "what comes then is recorded" 1000 "$(value closefrom again 1)"
is "and so is what came while there was none" 5010 "$(value closefrom mark 1)"

if timeout 10 ./gives seccomp | grep -qx 3; then
	same "a filter that lets nothing be opened" seccomp
	is "the child that has it is recorded" 1000 "$(value seccomp mark 1)"
	same "the same, before a recording begins" late -y USR1
	is "what comes then is recorded" 1000 "$(value late mark 1)"
	plain=$(./gives others; echo $?)
	is "the same, of regions of OpenMP and user events" "$plain" \
		"$(limited 60 "$xcollect" --omp=on --component=second:020 -A off -o others.er ./gives others 2>others.err; echo $?)"
	is "regions are recorded that begin when no file can be created" 20 \
		"$("$xer_print" -ompregions others.er | awk '/^others/ { print $(NF - 7) }')"
	is "and user events, of both traces" "20 20" \
		"$(echo $("$readers"/xer_trcrpt -h -r -d 010 others.er | grep -c '^0') $("$readers"/xer_trcrpt -h -r -d 020 others.er | grep -c '^0'))"
else
	skip "a filter that lets nothing be opened" "this kernel has none" 7
fi
if [ "$(id -u)" = 0 ] && limited 10 ./gives drop >/dev/null; then
	for what in drop drop_raw chroot setreuid setresuid seteuid setfsuid capset unshare setns prlimit; do
		same "a child: $what" $what
		is "$what: the child is recorded" 1000 "$(value $what mark 1)"
	done
	same "a child that gives up root has a child" grandchild
	is "the child is recorded" 1000 "$(value grandchild mark 1)"
	if grep -q 'cannot be let into the directory' grandchild.er/_f1.er/log.xml; then
		skip "and so is that one" "the file system has no access control lists" 1
	elif ! others_come_here; then
		skip "and so is that one" "other users may not search the directory of the tests" 1
	else
		within "and so is that one, with its time" 0.19 0.3 "$("$xer_print" -metrics e.totalcpu:name -functions grandchild.er/_f1_f1.er | awk '$NF == "<Total>" { print $1; exit }')"
	fi
	same "a child in another root directory has a child" prisoner
	is "the child in another root directory is recorded" 1000 "$(value prisoner mark 1)"
	within "its child cannot be, and the coverage shows that" 50 80 "$(sed -nE 's/^# quality: CPU time covered ([0-9.]+) % .* s of it in processes that left no experiment.*/\1/p' prisoner.txt | head -1)"
	same "a child that goes to another root directory by a child of its own, as Chromium's zygote does, has children" zygote
	is "it is recorded" 1000 "$(value zygote mark 1)"
	contains "and says that they are not" 'root directory from which the experiment cannot be reached' zygote.txt
	contains "and how many" '^  4 of its children left no experiment' zygote.txt
	report prisoner -experiment_list
	contains "and so does the list of experiments" ' not recorded .* _f1_f1: a child \(it left no experiment\)' prisoner.txt
else
	skip "children that give up root" "only root can" 33
fi

same "children of a process whose recording has ended" terminated

# A low hard limit from the start: the recorder holds no descriptor of those.
for most in 16 32 64; do
	(ulimit -n $most && limited 60 ./gives few) >few.plain
	(ulimit -n $most && limited 60 "$xcollect" -H on -i on -A off -o few$most.er ./gives few) >few.out 2>few.err
	is "a limit of $most from the start: as many files can be opened" "$(xargs <few.plain)" "$(xargs <few.out)"
	report few$most "${metrics[@]}" -header all
	is "of $most: all is recorded, also when no descriptor is free" 4000 "$(value few$most mark 1)"
	contains "of $most: and its end" '^Status +ended, exit code 0$' few$most.txt
	contains "of $most: nothing is lost" ', 0 lost,' few$most.txt
done

# Files for what may come later are made before a limit is set.
record limit -p on -F off -A off -- bash -c 'ulimit -Sn 100; for ((i = 0; i < 100000; i++)); do :; done'
report limit -functions
is "a process that sets a limit has files for what it may do later" limit.er/omptrace "$(ls -d limit.er/omptrace)"
is "which say nothing where it does nothing of that" 0 "$(grep -ciE 'openmp|user events' limit.txt)"
