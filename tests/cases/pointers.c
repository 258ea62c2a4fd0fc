/* pointers.c: cases of calls with pointers that the kernel refuses with EFAULT: nothing else may
 * come of them, as nobody but the kernel may follow them. Where the C library follows one itself,
 * the call faults with and without a recorder. */
#include "case.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

static sigjmp_buf back;
static void *volatile nowhere;  /* may be neither read nor written */
static void *volatile constant; /* zeros that may be read only */

static void on_fault(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

/* Make the pointers. Faults are told, and the case goes on. */
static void begin(void)
{
	struct sigaction action = {.sa_handler = on_fault};

	nowhere = mmap(NULL, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	constant = mmap(NULL, 65536, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &action, NULL);
	mark();
}

/* Say what a call returns, and its error. */
#define TRY(call) \
	do { \
		long result; \
		errno = 0; \
		if (sigsetjmp(back, 1)) { \
			say("%s: fault\n", #call); \
			break; \
		} \
		result = (long)(call); \
		say("%s: %ld, %d\n", #call, result, errno); \
	} while (0)

/* ---- signals */

/* The kernel's struct sigaction. */
struct action {
	void *handler;
	unsigned long flags;
	void *restorer;
	unsigned long mask;
};

static void exchange(int signal)
{
	struct action action = {.handler = (void *)SIG_IGN};
	struct sigaction now;

	say("signal %d\n", signal);
	TRY(syscall(SYS_rt_sigaction, signal, nowhere, NULL, 8));
	TRY(syscall(SYS_rt_sigaction, signal, NULL, nowhere, 8));
	TRY(syscall(SYS_rt_sigaction, signal, NULL, constant, 8));
	sigaction(signal, NULL, &now);
	say("untouched: %d\n", now.sa_handler == SIG_DFL);
	TRY(syscall(SYS_rt_sigaction, signal, &action, constant, 8));
	sigaction(signal, NULL, &now);
	say("the new one all the same: %d\n", now.sa_handler == SIG_IGN);
	action.handler = (void *)SIG_DFL;
	TRY(syscall(SYS_rt_sigaction, signal, &action, nowhere, 8));
	sigaction(signal, NULL, &now);
	say("and then the other: %d\n", now.sa_handler == SIG_DFL);
	TRY(syscall(SYS_rt_sigaction, signal, &action, &action, 8));
	say("same place: %d\n", action.handler == (void *)SIG_DFL);
}

int case_pointers_of_actions(void)
{
	begin();
	exchange(SIGBUS);
	exchange(SIGTRAP);
	for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++)
		exchange(signal);
	burn(20);
	return 0;
}

int case_pointers_of_signals(void)
{
	struct timespec zero = {0, 0};
	sigset_t set;
	int number;

	begin();
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	TRY(sigaltstack(nowhere, NULL));
	TRY(sigaltstack(NULL, constant));
	TRY(signalfd(-1, nowhere, 0));
	TRY(sigwait(nowhere, &number));
	TRY(sigwaitinfo(nowhere, NULL));
	TRY(sigtimedwait(nowhere, NULL, &zero));
	TRY(sigtimedwait(&set, NULL, nowhere));
	TRY(sigsuspend(nowhere));
	TRY(sigprocmask(SIG_BLOCK, NULL, constant));
	TRY(pthread_sigmask(SIG_BLOCK, NULL, constant));
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	TRY(sigtimedwait(&set, constant, &zero));
	return 0;
}

/* ---- waits */

int case_pointers_of_waits(void)
{
	struct timespec zero = {0, 0};
	struct sembuf *none = nowhere;
	int events = epoll_create1(0), semaphores = semget(IPC_PRIVATE, 1, 0600),
	    messages = msgget(IPC_PRIVATE, 0600), ends[2];
	pid_t child;

	begin();
	if (pipe(ends) < 0)
		return 1;
	TRY(poll(nowhere, 1, 0));
	TRY(ppoll(nowhere, 1, &zero, NULL));
	TRY(ppoll(NULL, 0, nowhere, NULL));
	TRY(ppoll(NULL, 0, &zero, nowhere));
	TRY(select(1, nowhere, NULL, NULL, NULL));
	TRY(select(0, NULL, NULL, NULL, nowhere));
	TRY(pselect(1, nowhere, NULL, NULL, &zero, NULL));
	TRY(pselect(0, NULL, NULL, NULL, nowhere, NULL));
	TRY(pselect(0, NULL, NULL, NULL, &zero, nowhere));
	TRY(epoll_ctl(events, EPOLL_CTL_ADD, ends[1], nowhere));
	TRY(epoll_pwait(events, nowhere, 1, 0, nowhere));
	TRY(nanosleep(nowhere, NULL));
	TRY(clock_nanosleep(CLOCK_MONOTONIC, 0, nowhere, NULL));
	TRY(semop(semaphores, none, 1));
	TRY(semtimedop(semaphores, none, 1, &zero));
	TRY(msgsnd(messages, nowhere, 8, 0));
	TRY(msgrcv(messages, nowhere, 8, 0, IPC_NOWAIT));
	TRY(syscall(SYS_futex, nowhere, 0, 0, NULL, NULL, 0));
	TRY(syscall(SYS_futex, constant, 0, 0, nowhere, NULL, 0));
	semctl(semaphores, 0, IPC_RMID);
	msgctl(messages, IPC_RMID, NULL);
	child = fork();
	if (child == 0)
		_exit(3);
	TRY(waitid(P_PID, (id_t)child, constant, WEXITED | WNOWAIT));
	TRY(wait4(child, constant, 0, NULL) == child);
	return 0;
}

/* ---- files */

static void names_of_files(void)
{
	TRY(open(nowhere, O_RDONLY));
	TRY(openat(AT_FDCWD, nowhere, O_RDONLY));
	TRY(creat(nowhere, 0600));
	TRY(fopen(nowhere, "r") != NULL);
	TRY(opendir(nowhere) != NULL);
	TRY(access(nowhere, R_OK));
	TRY(unlink(nowhere));
	TRY(rename(nowhere, "other"));
	TRY(rename("file", nowhere));
	TRY(mkdir(nowhere, 0700));
	TRY(rmdir(nowhere));
	TRY(mkfifo(nowhere, 0600));
	TRY(link(nowhere, "other"));
	TRY(symlink(nowhere, "other"));
	TRY(truncate(nowhere, 0));
	TRY(chmod(nowhere, 0600));
	TRY(chown(nowhere, 0, 0));
	TRY(readlink(nowhere, constant, 10));
	TRY(readlink("/proc/self/exe", constant, 10));
	TRY(utimensat(AT_FDCWD, nowhere, NULL, 0));
	TRY(utimensat(AT_FDCWD, "file", nowhere, 0));
	TRY(setxattr(nowhere, "user.a", "b", 1, 0));
	TRY(setxattr("file", nowhere, "b", 1, 0));
	TRY(getxattr("file", nowhere, NULL, 0));
	TRY(listxattr(nowhere, NULL, 0));
	TRY(removexattr("file", nowhere));
	TRY(chroot(nowhere));
	TRY(syscall(SYS_open, nowhere, O_RDONLY));
	TRY(syscall(SYS_openat, AT_FDCWD, nowhere, O_RDONLY));
	TRY(syscall(SYS_unlink, nowhere));
}

static void states_of_files(int file)
{
	TRY(stat(nowhere, constant));
	TRY(stat("/", constant));
	TRY(lstat("/", constant));
	TRY(fstat(file, constant));
	TRY(fstatat(AT_FDCWD, "/", constant, 0));
	TRY(statx(AT_FDCWD, "/", 0, STATX_BASIC_STATS, constant));
	TRY(ioctl(file, FIOCLEX, nowhere));
	TRY(ioctl(file, FIONREAD, constant));
	TRY(fcntl(file, F_GETLK, nowhere));
	TRY(fcntl(file, F_SETLKW, nowhere));
	TRY(pipe(constant));
	TRY(pipe2(constant, O_CLOEXEC));
	TRY(socketpair(AF_UNIX, SOCK_STREAM, 0, constant));
}

static void contents_of_files(int file, int directory)
{
	struct iovec bad = {.iov_base = nowhere, .iov_len = 10},
		     fixed = {.iov_base = constant, .iov_len = 10};

	TRY(write(file, nowhere, 10));
	TRY(pwrite(file, nowhere, 10, 0));
	TRY(writev(file, nowhere, 1));
	TRY(writev(file, &bad, 1));
	TRY(pwritev(file, &bad, 1, 0));
	TRY(pwritev2(file, nowhere, 1, 0, 0));
	TRY(write(file, "0123456789", 10));
	TRY(pread(file, constant, 10, 0));
	TRY(readv(file, nowhere, 1));
	TRY(preadv(file, &fixed, 1, 0));
	TRY(preadv2(file, nowhere, 1, 0, 0));
	lseek(file, 0, SEEK_SET);
	TRY(read(file, constant, 10));
	TRY(syscall(SYS_read, file, constant, 10));
	TRY(syscall(SYS_write, file, nowhere, 10));
	TRY(syscall(SYS_readv, file, nowhere, 1));
	TRY(syscall(SYS_pwrite64, file, nowhere, 10, 0));
	TRY(getdents64(directory, constant, 4096));
	TRY(sendfile(file, file, nowhere, 10));
	TRY(copy_file_range(file, nowhere, file, NULL, 1, 0));
	TRY(splice(file, nowhere, file, NULL, 1, 0));
}

int case_pointers_of_files(void)
{
	int file = open("file", O_RDWR | O_CREAT, 0600), directory = open("/", O_RDONLY), ends[2];

	begin();
	names_of_files();
	states_of_files(file);
	contents_of_files(file, directory);
	if (pipe(ends) < 0)
		return 1;
	TRY(vmsplice(ends[1], nowhere, 1, 0));
	TRY(write(ends[1], nowhere, 1));
	return 0;
}

/* ---- sockets */

static int messages(void)
{
	struct iovec bad = {.iov_base = nowhere, .iov_len = 10};
	struct msghdr message = {.msg_iov = &bad, .msg_iovlen = 1},
		      hidden = {.msg_iov = nowhere, .msg_iovlen = 1},
		      named = {.msg_name = nowhere, .msg_namelen = 16};
	struct mmsghdr many = {.msg_hdr = hidden};
	char byte;
	int pair[2], other;

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0)
		return 1;
	other = socket(AF_UNIX, SOCK_STREAM, 0);
	TRY(send(pair[0], nowhere, 10, 0));
	TRY(sendto(pair[0], "x", 1, 0, nowhere, 16));
	TRY(sendmsg(pair[0], nowhere, 0));
	TRY(sendmsg(pair[0], &message, 0));
	TRY(sendmsg(pair[0], &hidden, 0));
	TRY(sendmsg(pair[0], &named, 0));
	TRY(sendmmsg(pair[0], nowhere, 1, 0));
	TRY(sendmmsg(pair[0], &many, 1, 0));
	for (int i = 0; i < 8; i++)
		send(pair[0], "x", 1, 0);
	TRY(recv(pair[1], constant, 10, MSG_DONTWAIT));
	TRY(recvfrom(pair[1], &byte, 1, MSG_DONTWAIT, constant, nowhere));
	TRY(recvmsg(pair[1], nowhere, MSG_DONTWAIT));
	TRY(recvmsg(pair[1], &message, MSG_DONTWAIT));
	TRY(recvmsg(pair[1], &hidden, MSG_DONTWAIT));
	TRY(recvmmsg(pair[1], nowhere, 1, MSG_DONTWAIT, NULL));
	TRY(recvmmsg(pair[1], &many, 1, MSG_DONTWAIT, NULL));
	TRY(connect(other, nowhere, 16));
	TRY(accept(other, nowhere, nowhere));
	TRY(syscall(SYS_sendmsg, pair[0], nowhere, 0));
	TRY(syscall(SYS_recvmsg, pair[1], nowhere, MSG_DONTWAIT));
	TRY(syscall(SYS_sendto, pair[0], nowhere, 10, 0, NULL, 0));
	TRY(syscall(SYS_connect, other, nowhere, 16));
	return 0;
}

int case_pointers_of_sockets(void)
{
	begin();
	return messages();
}

/* ---- processes */

static void spawns(void)
{
	char *words[] = {(char *)(uintptr_t) "true", NULL};
	pid_t child = 0;

	TRY(posix_spawn(&child, nowhere, NULL, NULL, words, NULL));
	TRY(posix_spawn(&child, "/bin/true", NULL, NULL, words, nowhere));
}

static void executes(void)
{
	char *words[] = {(char *)(uintptr_t) "true", NULL};
	char *broken[] = {(char *)(uintptr_t) "true", nowhere, NULL};

	TRY(execve(nowhere, words, NULL));
	TRY(execve("/bin/true", nowhere, NULL));
	TRY(execve("/bin/true", broken, NULL));
	TRY(execve("/bin/true", words, nowhere));
	TRY(execve("/bin/true", words, broken));
	TRY(execv(nowhere, words));
	TRY(execveat(AT_FDCWD, nowhere, words, NULL, 0));
	TRY(syscall(SYS_execve, nowhere, words, NULL));
	TRY(syscall(SYS_execve, "/bin/true", nowhere, nowhere));
	TRY(syscall(SYS_execve, "/bin/true", words, nowhere));
}

int case_pointers_of_processes(void)
{
	begin();
	executes();
	spawns();
	TRY(syscall(SYS_clone3, nowhere, 64));
	TRY(setrlimit(RLIMIT_NOFILE, nowhere));
	TRY(getrlimit(RLIMIT_NOFILE, constant));
	TRY(prlimit(0, RLIMIT_NOFILE, nowhere, NULL));
	TRY(prlimit(0, RLIMIT_NOFILE, NULL, constant));
	TRY(prctl(PR_SET_NAME, nowhere));
	TRY(syscall(SYS_prctl, PR_SET_SECCOMP, 2, nowhere));
	TRY(syscall(SYS_seccomp, 1, 0, nowhere));
	TRY(system(nowhere));
	TRY(pclose(popen(nowhere, "r")));
	return 0;
}
