/* files.c: cases of sockets, of large files, of stdio in every mode, and of names with odd bytes.
 */
#include "case.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>
#include <wchar.h>
#include <locale.h>

/* ---- sockets */

static struct sockaddr_in loopback(int fd)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
	                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);

	if (bind(fd, (struct sockaddr *)&address, len) != 0)
		exit(CASE_SKIP);
	getsockname(fd, (struct sockaddr *)&address, &len);
	return address;
}

int case_socket_tcp(void)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0),
	    server;
	struct sockaddr_in address = loopback(listener);
	char text[16] = "";

	listen(listener, 1);
	say("connect %d\n", connect(client, (struct sockaddr *)&address, sizeof(address)));
	server = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	say("send %d\n", (int)send(client, "hello", 5, 0));
	say("peek %d\n", (int)recv(server, text, 3, MSG_PEEK));
	say("receive %d ", (int)recv(server, text, 15, 0));
	say("%s\n", text);
	shutdown(client, SHUT_WR);
	say("end %d\n", (int)read(server, text, 1));
	say("refused %d ", (int)send(client, "x", 1, MSG_NOSIGNAL));
	say("%d\n", errno);
	mark();
	return 0;
}

int case_socket_udp(void)
{
	int one = socket(AF_INET, SOCK_DGRAM, 0), two = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in address = loopback(one);
	char text[4];

	say("send %d\n",
	    (int)sendto(two, "datagram", 8, 0, (struct sockaddr *)&address, sizeof(address)));
	say("receive %d\n", (int)recvfrom(one, text, 4, MSG_TRUNC, NULL, NULL));
	say("none %d ", (int)recv(one, text, 4, MSG_DONTWAIT));
	say("%d\n", errno);
	mark();
	return 0;
}

int case_socket_unix(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket\n<&>"};
	int listener = socket(AF_UNIX, SOCK_SEQPACKET, 0),
	    client = socket(AF_UNIX, SOCK_SEQPACKET, 0), server;
	char text[8];

	say("bind %d\n", bind(listener, (struct sockaddr *)&address, sizeof(address)));
	listen(listener, 1);
	say("connect %d\n", connect(client, (struct sockaddr *)&address, sizeof(address)));
	server = accept(listener, NULL, NULL);
	say("write %d\n", (int)write(client, "packet", 6));
	say("read %d\n", (int)read(server, text, 8));
	mark();
	return unlink(address.sun_path);
}

int case_socket_many_messages(void)
{
	int pair[2];
	struct mmsghdr messages[3] = {0};
	struct iovec parts[3] = {{"a", 1}, {"bc", 2}, {"def", 3}};

	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	for (int i = 0; i < 3; i++)
		messages[i].msg_hdr = (struct msghdr){.msg_iov = &parts[i], .msg_iovlen = 1};
	say("sent %d\n", sendmmsg(pair[0], messages, 3, 0));
	for (int i = 0; i < 3; i++)
		parts[i] = (struct iovec){malloc(10), 10};
	say("received %d: ", recvmmsg(pair[1], messages, 3, 0, NULL));
	say("%d %d %d\n", messages[0].msg_len, messages[1].msg_len, messages[2].msg_len);
	mark();
	return 0;
}

/* ---- files */

int case_large_offsets(void)
{
	off_t far = (off_t)5 << 30;
	int fd = open("large", O_RDWR | O_CREAT, 0600);
	char byte = 0;

	say("pwrite %d\n", (int)pwrite(fd, "x", 1, far));
	say("seek %lld\n", (long long)lseek(fd, 0, SEEK_END));
	say("pread %d ", (int)pread(fd, &byte, 1, far));
	say("%c\n", byte);
	say("truncate %d\n", ftruncate(fd, 0));
	mark();
	return 0;
}

int case_vectors(void)
{
	char one[3] = "", two[5] = "";
	struct iovec out[2] = {{"ab", 2}, {"cdef", 4}}, in[2] = {{one, 2}, {two, 4}};
	int fd = open("file", O_RDWR | O_CREAT, 0600);

	say("writev %d\n", (int)writev(fd, out, 2));
	say("preadv %d ", (int)preadv(fd, in, 2, 1));
	say("%s %s\n", one, two);
	say("pwritev %d\n", (int)pwritev(fd, out, 2, 10));
	say("preadv2 %d\n", (int)preadv2(fd, in, 2, 0, 0));
	say("readv %d\n", (int)readv(fd, in, 2));
	mark();
	return 0;
}

int case_errors_of_calls(void)
{
	char byte;
	void *volatile bad = (void *)8;

	say("open %d ", open("/no/such/file", O_RDONLY));
	say("%d\n", errno);
	say("read %d ", (int)read(-1, &byte, 1));
	say("%d\n", errno);
	say("write %d ", (int)write(1, bad, 5));
	say("%d\n", errno);
	say("close %d ", close(777));
	say("%d\n", errno);
	say("lseek %d ", (int)lseek(-1, 0, SEEK_SET));
	say("%d\n", errno);
	say("dup2 %d ", dup2(-1, 5));
	say("%d\n", errno);
	say("mkdir %d ", mkdir("/", 0));
	say("%d\n", errno);
	say("rename %d ", rename("/no", "/such"));
	say("%d\n", errno);
	say("unlink %d ", unlink("/no"));
	say("%d\n", errno);
	say("connect %d ", connect(0, bad, 8));
	say("%d\n", errno);
	say("open %d ", open(bad, O_RDONLY));
	say("%d\n", errno);
	mark();
	return 0;
}

int case_full_device(void)
{
	FILE *file = fopen("/dev/full", "w");

	say("print %d\n", fprintf(file, "text"));
	say("flush %d ", fflush(file));
	say("%d\n", errno);
	say("close %d\n", fclose(file));
	mark();
	return 0;
}

/* ---- stdio */

static void try_mode(const char *mode)
{
	char text[20] = "";
	FILE *file = fopen("modes", mode);

	if (!file) {
		say("%s: %d\n", mode, errno);
		return;
	}
	say("%s: put %d ", mode, fputs("line\n", file) >= 0);
	rewind(file);
	say("get %d ", fgets(text, sizeof(text), file) != NULL);
	say("end %ld ", (fseek(file, 0, SEEK_END), ftell(file)));
	say("close %d\n", fclose(file));
}

int case_stdio_modes(void)
{
	static const char *const modes[] = {"r",  "w",  "a",  "r+",  "w+",  "a+",
	                                    "wx", "re", "rm", "rb+", "w+e", "zz"};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		try_mode(modes[i]);
	mark();
	return 0;
}

int case_stdio_in_memory(void)
{
	char *text = NULL, room[32] = "";
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	fprintf(file, "%d and %s", 42, "more");
	fclose(file);
	say("%s %d\n", text, (int)len);
	file = fmemopen(room, sizeof(room), "w+");
	fputs("fmemopen", file);
	fclose(file);
	say("%s\n", room);
	free(text);
	mark();
	return 0;
}

static ssize_t cookie_write(void *cookie, const char *text, size_t len)
{
	(void)text;
	*(size_t *)cookie += len;
	mark();
	return (ssize_t)len;
}

int case_stdio_cookies(void)
{
	size_t written = 0;
	FILE *file = fopencookie(&written, "w", (cookie_io_functions_t){.write = cookie_write});

	fputs("through a function", file);
	fclose(file);
	say("written %d\n", (int)written);
	return 0;
}

int case_stdio_buffers(void)
{
	static char own[64];

	setvbuf(stdout, own, _IOFBF, sizeof(own));
	for (int i = 0; i < 50; i++)
		printf("%d,", i);
	putchar('\n');
	setvbuf(stderr, NULL, _IOLBF, 1000);
	fputs("to standard error\n", stderr);
	mark();
	return 0;
}

int case_stdio_unflushed(void)
{
	printf("printed at the end");
	mark();
	return 0;
}

int case_stdio_never_flushed(void)
{
	printf("never printed");
	mark();
	_exit(0);
}

int case_stdio_over_fork(void)
{
	pid_t pid;

	printf("twice\n");
	pid = fork();
	mark();
	if (pid == 0)
		exit(0);
	return say_end(pid);
}

int case_stdio_reopened(void)
{
	say("freopen %d\n", freopen("reopened", "w", stdout) == stdout);
	puts("in the file");
	fclose(stdout);
	mark();
	return 0;
}

int case_stdio_wide(void)
{
	wchar_t line[20];
	FILE *file = fopen("wide", "w+");

	setlocale(LC_ALL, "C.UTF-8");
	say("put %d\n", fwprintf(file, L"\x20ac %d\n", 5));
	rewind(file);
	say("get %d %d\n", fgetws(line, 20, file) != NULL, line[0] == 0x20ac);
	fclose(file);
	mark();
	return 0;
}

int case_stdio_scanned(void)
{
	FILE *file = tmpfile();
	char *line = NULL;
	size_t size = 0;
	int number = 0, count;

	fputs("17 words\nsecond line without end", file);
	rewind(file);
	count = fscanf(file, "%d", &number);
	say("scanned %d %d\n", count, number);
	say("back %c\n", ungetc('X', file));
	say("line %d ", (int)getline(&line, &size, file));
	say("%s", line);
	say("line %d\n", (int)getdelim(&line, &size, 'Q', file));
	say("end %d %d\n", (int)getline(&line, &size, file), feof(file) != 0);
	free(line);
	fclose(file);
	mark();
	return 0;
}

static void *prints(void *name)
{
	for (int i = 0; i < 200; i++)
		fprintf(stderr, "%s\n", (char *)name);
	return NULL;
}

int case_stdio_by_threads(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, prints, "same");
	pthread_create(&threads[1], NULL, prints, "same");
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	mark();
	return 0;
}

/* ---- names */

#define ODD "<&\"'>]]>\n\t\x01\x1b[31m\xff\xfe %s%n"

int case_name_of_a_file(void)
{
	int fd = open(ODD, O_RDWR | O_CREAT, 0600);

	say("write %d\n", (int)write(fd, "x", 1));
	mark();
	return 0;
}

int case_name_of_255_bytes(void)
{
	char name[257];

	memset(name, 'n', 256);
	name[255] = 0;
	say("open %d\n", open(name, O_RDWR | O_CREAT, 0600) >= 0);
	name[255] = 'n';
	name[256] = 0;
	say("open %d\n", open(name, O_RDWR | O_CREAT, 0600) >= 0);
	mark();
	return 0;
}

int case_name_of_the_directory(void)
{
	say("%d\n", mkdir(ODD, 0755) + chdir(ODD));
	mark();
	return case_fork();
}

int case_name_of_the_program(void)
{
	mark();
	say("%d\n", symlink(case_self, ODD));
	execl(ODD, ODD, "leaf", ODD, (char *)NULL);
	return 1;
}

int case_name_in_the_environment(void)
{
	setenv("ODD", ODD, 1);
	putenv("no equals sign");
	mark();
	become("environment_length");
	return 1;
}

int case_environment_length(void)
{
	extern char **environ;
	int count = 0;

	while (environ[count])
		count++;
	say("variables %d odd %d\n", count, (int)strlen(getenv("ODD") ? getenv("ODD") : ""));
	mark();
	return 0;
}

int case_arguments_of_a_megabyte(void)
{
	static char *arguments[1003] = {"cases", "leaf"};
	static char text[1000];

	memset(text, 'a', sizeof(text) - 1);
	for (int i = 2; i < 1002; i++)
		arguments[i] = text;
	mark();
	return execv(case_self, arguments);
}
