/* wall_known_io.h: the functions of wall_known that move bytes, and those that may wait or not. */
#ifndef XER_TESTS_WALL_KNOWN_IO_H
#define XER_TESTS_WALL_KNOWN_IO_H

/* ---- pipes and queues */

static int ends[2], queue;
static mqd_t posix_queue;
static char bytes[1 << 17];

static void write_end(void)
{
	if (write(ends[1], "x\n", 2) != 2)
		complain("write");
}

static void read_all(void)
{
	if (read(ends[0], bytes, sizeof(bytes)) <= 0)
		complain("read");
}

NOINLINE void do_pipe(void)
{
	char text[8];
	FILE *stream;
	int event = eventfd(0, 0), full;

	close(event);
	if (pipe(ends) < 0)
		complain("pipe");
	ask(write_end);
	CALL(read(ends[0], text, 2) == 2);
	full = fcntl(ends[1], F_GETPIPE_SZ);
	if (write(ends[1], bytes, (size_t)full) != full)
		complain("write");
	ask(read_all);
	CALL(write(ends[1], bytes, 1) == 1);
	read_all();
	stream = fdopen(ends[0], "r");
	ask(write_end);
	CALL(fgets(text, sizeof(text), stream) != NULL);
	ask(write_end);
	CALL(getc(stream) == 'x');
	fclose(stream);
	close(ends[1]);
}

static struct message {
	long type;
	char text[4096];
} message = {.type = 1};

static void send_message(void)
{
	if (msgsnd(queue, &message, 1, 0) < 0)
		complain("msgsnd");
}

static void take_message(void)
{
	struct message taken;

	if (msgrcv(queue, &taken, sizeof(taken.text), 0, 0) < 0)
		complain("msgrcv");
}

NOINLINE void do_msg(void)
{
	struct message taken;

	queue = msgget(IPC_PRIVATE, 0600);
	ask(send_message);
	CALL(msgrcv(queue, &taken, sizeof(taken.text), 0, 0) == 1);
	while (msgsnd(queue, &message, sizeof(message.text), IPC_NOWAIT) == 0)
		continue;
	ask(take_message);
	CALL(msgsnd(queue, &message, sizeof(message.text), 0) == 0);
	msgctl(queue, IPC_RMID, NULL);
}

static void send_posix(void)
{
	if (mq_send(posix_queue, "x", 1, 0) < 0)
		complain("mq_send");
}

static void take_posix(void)
{
	if (mq_receive(posix_queue, bytes, sizeof(bytes), NULL) < 0)
		complain("mq_receive");
}

/* Where there are no such queues, nothing is done. */
NOINLINE void do_mq(void)
{
	struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 16};
	struct timespec due;
	char name[32];

	snprintf(name, sizeof(name), "/xer-wall-%d", getpid());
	posix_queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
	if (posix_queue == (mqd_t)-1)
		return;
	mq_unlink(name);
	ask(send_posix);
	CALL(mq_receive(posix_queue, bytes, sizeof(bytes), NULL) == 1);
	due = in(MS);
	CALL(mq_timedreceive(posix_queue, bytes, sizeof(bytes), NULL, &due) == -1);
	send_posix();
	due = in(MS);
	CALL(mq_timedsend(posix_queue, "y", 1, 0, &due) == -1);
	ask(take_posix);
	CALL(mq_send(posix_queue, "y", 1, 0) == 0);
	mq_close(posix_queue);
}

/* ---- sockets */

static struct sockaddr_in server = {.sin_family = AF_INET};
static int client;

static void call_server(void)
{
	client = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(client, (struct sockaddr *)&server, sizeof(server)) < 0)
		complain("connect");
}

static void send_bytes(void)
{
	if (send(client, "x", 1, 0) != 1)
		complain("send");
}

NOINLINE void do_socket(void)
{
	socklen_t size = sizeof(server);
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd;
	struct iovec part = {bytes, 1};
	struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};

	server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&server, size) < 0 || listen(listener, 1) < 0 ||
	    getsockname(listener, (struct sockaddr *)&server, &size) < 0)
		complain("bind");
	ask(call_server);
	CALL((fd = accept(listener, NULL, NULL)) >= 0);
	ask(send_bytes);
	CALL(recv(fd, bytes, 1, 0) == 1);
	ask(send_bytes);
	CALL(recvmsg(fd, &header, 0) == 1);
	ask(send_bytes);
	CALL(read(fd, bytes, 1) == 1);
	CALL(recv(fd, bytes, 1, MSG_DONTWAIT) == -1);
	close(fd);
	close(client);
	close(listener);
}

/* ---- terminals and files */

static void type(void)
{
	if (write(ends[0], "x\n", 2) != 2)
		complain("write");
}

NOINLINE void do_terminal(void)
{
	if (openpty(&ends[0], &ends[1], NULL, NULL, NULL) < 0) {
		complain("openpty");
		return;
	}
	ask(type);
	CALL(read(ends[1], bytes, sizeof(bytes)) == 2);
	tcdrain(ends[1]);
	close(ends[0]);
	close(ends[1]);
}

NOINLINE void do_aio(void)
{
	struct aiocb request = {.aio_buf = bytes, .aio_nbytes = 2};
	const struct aiocb *list[] = {&request};

	if (pipe(ends) < 0)
		complain("pipe");
	request.aio_fildes = ends[0];
	aio_read(&request);
	ask(write_end);
	CALL(aio_suspend(list, 1, NULL) == 0);
	aio_return(&request);
	close(ends[0]);
	close(ends[1]);
}

/* These may wait, or not. */
NOINLINE void do_others(void)
{
	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST}, *found = NULL;
	struct hostent entry, *result;
	struct in_addr loopback = {htonl(INADDR_LOOPBACK)};
	char host[64];
	int fd = open(".", O_RDONLY | O_DIRECTORY), waiting = 0, code;

	sync();
	syncfs(fd);
	sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE);
	ioctl(fd, FIONREAD, &waiting);
	sched_yield();
	CALL(getaddrinfo("127.0.0.1", "80", &hints, &found) == 0);
	CALL(getnameinfo(found->ai_addr, found->ai_addrlen, host, sizeof(host), NULL, 0,
	                 NI_NUMERICHOST) == 0);
	freeaddrinfo(found);
	CALL(gethostbyname("127.0.0.1") != NULL);
	CALL(gethostbyname2("127.0.0.1", AF_INET) != NULL);
	CALL(gethostbyname_r("127.0.0.1", &entry, bytes, sizeof(bytes), &result, &code) == 0);
	CALL(gethostbyname2_r("127.0.0.1", AF_INET, &entry, bytes, sizeof(bytes), &result, &code) ==
	     0);
	gethostbyaddr(&loopback, sizeof(loopback), AF_INET);
	gethostbyaddr_r(&loopback, sizeof(loopback), AF_INET, &entry, bytes, sizeof(bytes), &result,
	                &code);
	close(fd);
}

#endif
