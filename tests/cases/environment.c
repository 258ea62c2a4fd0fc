/* environment.c: cases of a process's environment, and of filters for its system calls. */
#include "case.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- environment of the process */

static void need_root(void)
{
	if (geteuid() == 0)
		return;
	say("it needs root\n");
	exit(CASE_SKIP);
}

int case_chroot(void)
{
	need_root();
	mkdir("jail", 0755);
	say("chroot %d\n", chroot("jail") + chdir("/"));
	mark();
	burn(10);
	say("exists %d\n", access("/proc", F_OK));
	return 0;
}

/* A file at the place of the null device is no device. */
int case_daemon_without_null(void)
{
	int ends[2], result;
	char byte;
	pid_t pid;

	need_root();
	mkdir("jail", 0755);
	mkdir("jail/dev", 0755);
	close(open("jail/dev/null", O_RDWR | O_CREAT, 0600));
	if (pipe(ends) != 0 || chroot("jail") != 0 || chdir("/") != 0)
		return 1;
	pid = fork();
	if (pid == 0) {
		result = daemon(0, 0);
		dprintf(ends[1], "daemon %d %d\n", result, errno);
		_exit(0);
	}
	close(ends[1]);
	say_end(pid);
	while (read(ends[0], &byte, 1) == 1)
		say("%c", byte);
	mark();
	return 0;
}

/* An access control list lets another user into the experiment, but not into what is above it. */
static void need_way_for_others(void)
{
	char path[PATH_MAX], *end;
	struct stat st;

	if (!getcwd(path, sizeof(path)))
		exit(CASE_SKIP);
	while ((end = strrchr(path, '/')) && end != path) {
		*end = '\0';
		if (stat(path, &st) != 0 || !(st.st_mode & S_IXOTH)) {
			say("others may not search %s\n", path);
			exit(CASE_SKIP);
		}
	}
}

int case_user_dropped(void)
{
	need_root();
	need_way_for_others();
	mark();
	say("groups %d gid %d uid %d\n", setgroups(0, NULL), setgid(65534), setuid(65534));
	mark();
	burn(10);
	say("uid %d back %d\n", (int)getuid(), setuid(0));
	return case_fork();
}

int case_effective_user_changed(void)
{
	need_root();
	mark();
	say("seteuid %d\n", seteuid(65534));
	mark();
	say("dumpable %d\n", prctl(PR_GET_DUMPABLE));
	say("seteuid %d\n", seteuid(0));
	return 0;
}

int case_no_new_privileges(void)
{
	say("set %d\n", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	mark();
	become("leaf");
	return 1;
}

int case_not_dumpable(void)
{
	say("set %d\n", prctl(PR_SET_DUMPABLE, 0));
	mark();
	burn(10);
	return case_fork();
}

static int unshared(int what, const char *name)
{
	if (unshare(what) != 0) {
		say("%s: %d\n", name, errno);
		exit(CASE_SKIP);
	}
	mark();
	return case_fork();
}

int case_namespace_user(void)
{
	return unshared(CLONE_NEWUSER, "user");
}
int case_namespace_mount(void)
{
	need_root();
	return unshared(CLONE_NEWNS, "mount");
}
int case_namespace_network(void)
{
	need_root();
	return unshared(CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS, "network");
}
int case_namespace_process(void)
{
	need_root();
	return unshared(CLONE_NEWPID, "process");
}
int case_descriptors_unshared(void)
{
	return unshared(CLONE_FILES | CLONE_FS, "files");
}

int case_no_proc(void)
{
	need_root();
	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    umount2("/proc", MNT_DETACH) != 0) {
		say("umount: %d\n", errno);
		return CASE_SKIP;
	}
	say("maps %d\n", access("/proc/self/maps", F_OK));
	mark();
	burn(20);
	return case_fork();
}

int case_directory_deleted(void)
{
	mkdir("deleted", 0755);
	say("%d\n", chdir("deleted"));
	rmdir("../deleted");
	say("%d %d\n", !getcwd((char[100]){0}, 100), errno);
	mark();
	return case_fork();
}

int case_directory_far(void)
{
	char name[201];

	memset(name, 'd', 200);
	name[200] = 0;
	for (int i = 0; i < 30; i++)
		if (mkdir(name, 0755) != 0 || chdir(name) != 0)
			return 1;
	mark();
	return case_fork();
}

int case_no_rights_for_new_files(void)
{
	umask(0777);
	mark();
	say("umask %o\n", umask(0777));
	return case_fork();
}

int case_umask_is_kept(void)
{
	close(open("file", O_CREAT | O_WRONLY, 0666));
	mkdir("directory", 0777);
	mark();
	return 0;
}

int case_priority(void)
{
	say("nice %d\n", nice(5));
	say("priority %d\n", getpriority(PRIO_PROCESS, 0));
	mark();
	return 0;
}

int case_resource_usage(void)
{
	struct rusage usage;

	burn(30);
	getrusage(RUSAGE_SELF, &usage);
	say("used %d\n",
	    usage.ru_utime.tv_sec * 1000000 + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec >=
	            28000);
	mark();
	return 0;
}

int case_executable_deleted(void)
{
	static char buffer[65536];
	int from = open(case_self, O_RDONLY), to = open("program", O_WRONLY | O_CREAT, 0755);
	ssize_t len;
	pid_t pid;

	while ((len = read(from, buffer, sizeof(buffer))) > 0)
		if (write(to, buffer, (size_t)len) != len)
			return 1;
	close(to);
	pid = fork();
	if (pid == 0) {
		execl("./program", "program", "deletes_itself", (char *)NULL);
		_exit(9);
	}
	return say_end(pid);
}

int case_deletes_itself(void)
{
	unlink("program");
	burn(5);
	mark();
	say("deleted\n");
	return 0;
}

/* ---- filters for system calls */

static const struct sock_filter load_number = BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                                       offsetof(struct seccomp_data, nr));

/* All calls but `allowed` (a list that ends with -1) get `action`. */
static void only(const int *allowed, unsigned action)
{
	struct sock_filter filter[64] = {load_number};
	unsigned short len = 1;
	struct sock_fprog program = {.filter = filter};

	for (; *allowed >= 0 && len < 60; allowed++) {
		filter[len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
		                                             (unsigned)*allowed, 0, 1);
		filter[len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	filter[len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
	program.len = len;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		exit(CASE_SKIP);
}

/* All calls but those of `refused` are allowed. */
static void all_but(const int *refused, unsigned action)
{
	struct sock_filter filter[64] = {load_number};
	unsigned short len = 1;
	struct sock_fprog program = {.filter = filter};

	for (; *refused >= 0 && len < 60; refused++) {
		filter[len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
		                                             (unsigned)*refused, 0, 1);
		filter[len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
	}
	filter[len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = len;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		exit(CASE_SKIP);
}

/* The calls that a computing program under a strict filter needs. */
static const int careful[] = {SYS_read,         SYS_write,         SYS_exit,      SYS_exit_group,
                              SYS_brk,          SYS_mmap,          SYS_munmap,    SYS_mprotect,
                              SYS_rt_sigreturn, SYS_clock_gettime, SYS_futex,     SYS_newfstatat,
                              SYS_fstat,        SYS_lseek,         SYS_getrandom, -1};

int case_filter_errors(void)
{
	mark();
	only(careful, SECCOMP_RET_ERRNO | EPERM);
	mark();
	burn(20);
	say("getppid %d %d\n", (int)syscall(SYS_getppid), errno);
	return 0;
}

int case_filter_no_such_calls(void)
{
	mark();
	only(careful, SECCOMP_RET_ERRNO | ENOSYS);
	mark();
	burn(20);
	say("getppid %d %d\n", (int)syscall(SYS_getppid), errno);
	return 0;
}

int case_filter_errors_at_once(void)
{
	only(careful, SECCOMP_RET_ERRNO | EACCES);
	for (int i = 0; i < 100; i++)
		mark();
	burn(20);
	return 0;
}

int case_filter_kills(void)
{
	mark();
	only(careful, SECCOMP_RET_KILL_PROCESS);
	for (int i = 0; i < 3000; i++)
		mark();
	burn(20);
	say("alive\n");
	return 0;
}

int case_filter_kills_at_once(void)
{
	only(careful, SECCOMP_RET_KILL_PROCESS);
	mark();
	say("alive\n");
	return 0;
}

int case_filter_by_system_call(void)
{
	struct sock_filter filter[] = {load_number,
	                               BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
	                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {.len = 4, .filter = filter};

	mark();
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
		return CASE_SKIP;
	for (int i = 0; i < 3000; i++)
		mark();
	burn(20);
	say("alive\n");
	return 0;
}

int case_filter_no_files(void)
{
	static const int files[] = {SYS_open,    SYS_openat,    SYS_openat2,   SYS_creat, SYS_mkdir,
	                            SYS_mkdirat, SYS_fallocate, SYS_ftruncate, -1};

	mark();
	all_but(files, SECCOMP_RET_ERRNO | EACCES);
	for (int i = 0; i < 3000; i++)
		mark();
	burn(10);
	say("open %d %d\n", open("/dev/null", O_RDONLY), errno);
	return case_fork();
}

int case_filter_no_timers(void)
{
	static const int timers[] = {SYS_timer_create, SYS_timer_settime, SYS_setitimer, -1};

	all_but(timers, SECCOMP_RET_ERRNO | EPERM);
	mark();
	burn(20);
	return case_fork();
}

/* glibc's pthread_create needs neither. */
int case_filter_no_tids(void)
{
	static const int calls[] = {SYS_gettid, SYS_tgkill, -1};
	pthread_t thread;

	mark();
	all_but(calls, SECCOMP_RET_ERRNO | EPERM);
	burn(20);
	say("thread %d\n", pthread_create(&thread, NULL, mark_thread, NULL));
	say("joined %d\n", pthread_join(thread, NULL));
	return case_fork();
}

static volatile sig_atomic_t trapped;

static void traps(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	(void)context;
	trapped++;
}

int case_filter_traps(void)
{
	static const int calls[] = {SYS_getppid, SYS_getpgrp, -1};
	struct sigaction action = {.sa_sigaction = traps, .sa_flags = SA_SIGINFO};

	sigaction(SIGSYS, &action, NULL);
	all_but(calls, SECCOMP_RET_TRAP);
	mark();
	burn(20);
	syscall(SYS_getppid);
	syscall(SYS_getpgrp);
	say("trapped %d\n", trapped);
	return 0;
}

int case_filter_strict(void)
{
	mark();
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
		return CASE_SKIP;
	mark();
	if (write(1, "alive\n", 6) != 6)
		syscall(SYS_exit, 1);
	syscall(SYS_exit, 21);
	return 0;
}

int case_filter_and_child(void)
{
	static const int calls[] = {SYS_getppid, -1};

	all_but(calls, SECCOMP_RET_ERRNO | EPERM);
	mark();
	return case_fork();
}

static void *burn_in_thread(void *unused)
{
	mark();
	burn(20);
	return unused;
}

/* Of threads that are there already, that come, and of a child. */
int case_filter_perf_kills(void)
{
	static const int calls[] = {SYS_perf_event_open, SYS_ioctl, SYS_rt_sigtimedwait, -1};
	pthread_t thread;

	mark();
	burn(20);
	all_but(calls, SECCOMP_RET_KILL_PROCESS);
	burn(20);
	if (pthread_create(&thread, NULL, burn_in_thread, NULL) != 0)
		return 1;
	pthread_join(thread, NULL);
	return case_fork();
}
