/* descriptors.c: cases of descriptors: closed, replaced by dup2, used up, inherited, counted. */
#include "case.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

/* Recording goes on, and files can be opened. */
static int goes_on(void)
{
	mark();
	say("next %d\n", open("/dev/null", O_RDONLY));
	return 0;
}

int case_close_all(void)
{
	for (int fd = 3; fd < 4096; fd++)
		close(fd);
	return goes_on();
}

int case_closefrom(void)
{
	closefrom(3);
	return goes_on();
}

int case_close_range(void)
{
	say("close_range %d\n", close_range(3, ~0u, 0));
	return goes_on();
}

int case_close_range_unshare(void)
{
	say("close_range %d\n", close_range(3, ~0u, CLOSE_RANGE_UNSHARE | CLOSE_RANGE_CLOEXEC));
	return goes_on();
}

int case_dup_over_all(void)
{
	int null = open("/dev/null", O_WRONLY);

	for (int fd = 4; fd < 1024; fd++)
		dup2(null, fd);
	mark();
	for (int fd = 4; fd < 1024; fd++)
		close(fd);
	return goes_on();
}

int case_dup_file_over_all(void)
{
	int fd = open("victim", O_RDWR | O_CREAT | O_TRUNC, 0644);

	for (int other = 4; other < 1024; other++)
		dup2(fd, other);
	for (int i = 0; i < 3; i++)
		mark();
	burn(20);
	return write(fd, "mine\n", 5) != 5;
}

static atomic_int is_over;

static void *allocate_on(void *unused)
{
	while (!atomic_load(&is_over)) {
		void *volatile block = malloc(24);

		free(block);
	}
	return unused;
}

/* At numbers such as the recorder has, while other threads write events. */
int case_dup_file_while_others_write(void)
{
	char bytes[4096] = {'A'}, found[sizeof(bytes)];
	int fd = open("victim", O_RDWR | O_CREAT | O_TRUNC, 0644);
	pthread_t threads[2];
	struct stat status;

	if (write(fd, bytes, sizeof(bytes)) != sizeof(bytes))
		return 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, allocate_on, NULL);
	for (int round = 0; round < 3000; round++)
		for (int other = 958; other < 990; other++)
			dup2(fd, other);
	atomic_store(&is_over, 1);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	fstat(fd, &status);
	say("size %ld, changed %d\n", (long)status.st_size,
	    pread(fd, found, sizeof(found), 0) != sizeof(found) ||
	            memcmp(found, bytes, sizeof(found)) != 0);
	mark();
	return 0;
}

static void *do_nothing(void *unused)
{
	return unused;
}

/* The kernel looks at as many bits of the sets as the process has places for descriptors, which are
 * few here, and the sets are no larger than usual: behind one of them there is nothing. */
int case_select_up_to_the_limit(void)
{
	struct rlimit limit;
	pthread_t thread;
	char *pages = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	                   0);
	fd_set *in = (fd_set *)(pages + 4096 - sizeof(*in)), out;
	int pair[2], ready;

	mprotect(pages + 4096, 4096, PROT_NONE);
	getrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_max > 4096)
		limit.rlim_cur = 4096;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (pipe(pair) < 0)
		return 1;
	pthread_create(&thread, NULL, do_nothing, NULL);
	pthread_join(thread, NULL);
	for (int round = 0; round < 2; round++) {
		FD_ZERO(in);
		FD_ZERO(&out);
		FD_SET(pair[0], in);
		FD_SET(pair[1], &out);
		ready = select(getdtablesize(), in, &out, NULL, NULL);
		say("ready %d, to write %d\n", ready, FD_ISSET(pair[1], &out) != 0);
		mark();
	}
	return 0;
}

int case_standard_closed(void)
{
	close(0);
	close(1);
	close(2);
	mark();
	return open("/dev/null", O_RDONLY);
}

int case_first_descriptor(void)
{
	say("first %d\n", open("/dev/null", O_RDONLY));
	say("second %d\n", dup(3));
	say("over %d\n", dup2(3, 70));
	say("from %d\n", fcntl(3, F_DUPFD, 50));
	mark();
	return 0;
}

int case_descriptors_listed(void)
{
	DIR *directory = opendir("/proc/self/fd");
	struct dirent *entry;
	int count = 0;

	while ((entry = readdir(directory)))
		count += entry->d_name[0] != '.' && atoi(entry->d_name) < 100;
	say("descriptors %d\n", count);
	closedir(directory);
	mark();
	return 0;
}

int case_descriptors_inherited(void)
{
	mark();
	execl("/bin/sh", "sh", "-c",
	      "for f in /proc/self/fd/*; do echo ${f##*/}; done | awk '$1 < 100'", (char *)NULL);
	return 1;
}

int case_descriptors_exhausted(void)
{
	struct rlimit limit = {64, 64};

	mark();
	setrlimit(RLIMIT_NOFILE, &limit);
	while (open("/dev/null", O_RDONLY) >= 0)
		;
	say("full %d\n", errno); /* a few are the recorder's */
	mark();
	burn(10);
	return 0;
}

int case_four_descriptors(void)
{
	struct rlimit limit = {4, 4};

	mark();
	setrlimit(RLIMIT_NOFILE, &limit);
	return goes_on();
}

int case_limit_read_back(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	say("%lu %lu %d\n", (unsigned long)limit.rlim_cur, (unsigned long)limit.rlim_max,
	    getdtablesize());
	mark();
	return 0;
}

int case_exhausted_then_fork(void)
{
	pid_t pid;

	while (open("/dev/null", O_RDONLY) >= 0)
		;
	pid = fork();
	if (pid == 0) {
		closefrom(3);
		mark_and_leave(3);
	}
	return say_end(pid);
}

int case_locks(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd = open("lock", O_RDWR | O_CREAT, 0644);
	pid_t pid;

	say("flock %d\n", flock(fd, LOCK_EX));
	say("fcntl %d\n", fcntl(fd, F_SETLK, &lock));
	pid = fork();
	if (pid == 0) {
		int own = open("lock", O_RDWR);

		say("flock %d\n", flock(own, LOCK_EX | LOCK_NB));
		say("fcntl %d\n", fcntl(own, F_SETLK, &lock));
		mark_and_leave(errno);
	}
	return say_end(pid);
}

int case_passed_descriptor(void)
{
	int pair[2], null = open("/dev/null", O_RDONLY);
	char room[CMSG_SPACE(sizeof(int))] = {0}, byte = 'x';
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part,
	                         .msg_iovlen = 1,
	                         .msg_control = room,
	                         .msg_controllen = sizeof(room)};
	struct cmsghdr *control = CMSG_FIRSTHDR(&message);

	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	control->cmsg_level = SOL_SOCKET;
	control->cmsg_type = SCM_RIGHTS;
	control->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(control), &null, sizeof(int));
	say("sent %d\n", (int)sendmsg(pair[0], &message, 0));
	say("received %d\n", (int)recvmsg(pair[1], &message, 0));
	memcpy(&null, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
	say("descriptor %d\n", null);
	mark();
	return 0;
}

int case_epoll(void)
{
	struct epoll_event event = {.events = EPOLLIN}, got;
	int epoll = epoll_create1(EPOLL_CLOEXEC), source = eventfd(3, EFD_NONBLOCK);
	eventfd_t value;

	epoll_ctl(epoll, EPOLL_CTL_ADD, source, &event);
	say("ready %d\n", epoll_wait(epoll, &got, 1, 1000));
	eventfd_read(source, &value);
	say("value %d\n", (int)value);
	say("ready %d\n", epoll_wait(epoll, &got, 1, 20));
	say("again %d ", eventfd_read(source, &value));
	say("%d\n", errno);
	mark();
	return 0;
}

int case_timerfd(void)
{
	struct itimerspec once = {.it_value.tv_nsec = 5000000};
	unsigned long expirations = 0;
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);

	timerfd_settime(fd, 0, &once, NULL);
	say("read %d ", (int)read(fd, &expirations, sizeof(expirations)));
	say("expirations %lu\n", expirations);
	mark();
	return 0;
}

int case_inotify(void)
{
	char events[4096] __attribute__((aligned(8)));
	int fd = inotify_init1(IN_NONBLOCK);

	inotify_add_watch(fd, ".", IN_CREATE | IN_DELETE | IN_MODIFY);
	mark();
	burn(10);
	close(open("made", O_CREAT | O_WRONLY, 0600));
	say("bytes %d\n", (int)read(fd, events, sizeof(events)));
	return 0;
}

int case_select_high(void)
{
	fd_set set;
	struct timeval none = {0, 0};
	int fd = fcntl(open("/dev/zero", O_RDONLY), F_DUPFD, 900);

	FD_ZERO(&set);
	FD_SET(fd, &set);
	say("%d: select %d\n", fd, select(FD_SETSIZE, &set, NULL, NULL, &none));
	mark();
	return 0;
}

int case_sendfile_and_splice(void)
{
	int from = open("/bin/true", O_RDONLY), to = open("copy", O_RDWR | O_CREAT, 0600), ends[2];
	off_t offset = 64;
	loff_t at = 0;

	say("sendfile %d ", (int)sendfile(to, from, &offset, 1000));
	say("offset %d\n", (int)offset);
	if (pipe(ends) != 0)
		return 1;
	say("splice %d\n", (int)splice(from, &at, ends[1], NULL, 500, 0));
	say("splice %d\n", (int)splice(ends[0], NULL, to, NULL, 500, 0));
	at = 0;
	say("copy %d\n", (int)copy_file_range(to, &at, to, &(loff_t){5000}, 700, 0));
	mark();
	return 0;
}

int case_memfd_sealed(void)
{
	int fd = memfd_create("sealed", MFD_ALLOW_SEALING);

	say("truncate %d\n", ftruncate(fd, 4096));
	say("seal %d\n", fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK));
	say("write %d ", (int)write(fd, "x", 1));
	say("%d\n", errno);
	mark();
	return 0;
}
