/* sampler.c: puts the helper of --sampler in place. See sampler.h. It must not be seen by the program: so it is the child of a child that
 * is gone before the program begins, in a session of its own, and holds nothing of the program's open. */
#include "sampler.h"

#include "format/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAIT_MS = 5000 };

/* What the helper says when it is ready, or cannot be. */
struct answer {
	int status; /* 0 or -errno */
	int in_kernel;
};

/* Keep nothing but these two descriptors, as 3 and 4. */
static void let_go(int *directory, int *answer)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	*directory = fcntl(*directory, F_DUPFD_CLOEXEC, 5);
	*answer = fcntl(*answer, F_DUPFD_CLOEXEC, *directory + 1);
	*directory = dup2(*directory, 3);
	*answer = dup2(*answer, 4);
	close_range(5, ~0U, 0);
	(void)!chdir("/");
}

/* Signals that end a program's process group, or come by its terminal, are not for the helper. */
static void ignore_signals(void)
{
	static const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXFSZ, SIGALRM, SIGUSR1, SIGUSR2};
	sigset_t none;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void help(const struct request *request, int directory, int to, int pid)
{
	struct answer answer = {0};
	struct sampler_work *work = NULL;

	setsid();
	ignore_signals();
	let_go(&directory, &to);
	prctl(PR_SET_NAME, "xer_sampler", 0, 0, 0);
	answer.status = samplerwork_open(&work, request, directory, pid, &answer.in_kernel);
	if (write(to, &answer, sizeof(answer)) != (ssize_t)sizeof(answer) || answer.status < 0)
		_exit(1);
	close(to);
	samplerwork_run(work);
}

/* Have a grandchild run help(), of which this process keeps no trace: an ignored SIGCHLD lets the child vanish without a signal and
 * without a share in the times of children, and only who is no subreaper does not get the orphan. */
static int launch(const struct request *request, int directory, int to)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	int is_subreaper = 0, self = getpid();
	pid_t child;

	prctl(PR_GET_CHILD_SUBREAPER, &is_subreaper, 0, 0, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
	sigaction(SIGCHLD, &ignore, &before);
	child = fork();
	if (child == 0) {
		if (fork() == 0)
			help(request, directory, to, self);
		_exit(0);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		continue;
	sigaction(SIGCHLD, &before, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, is_subreaper, 0, 0, 0);
	return child < 0 ? -EAGAIN : 0;
}

static int ask(const struct request *request, const struct experiment_directory *experiment, struct answer *answer)
{
	struct pollfd said = {.events = POLLIN};
	int ends[2];
	int status;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	status = launch(request, experiment->fd, ends[1]);
	close(ends[1]);
	said.fd = ends[0];
	if (status == 0 && poll(&said, 1, WAIT_MS) == 0)
		status = -ETIMEDOUT;
	if (status == 0 && read(ends[0], answer, sizeof(*answer)) != (ssize_t)sizeof(*answer))
		status = -EIO;
	close(ends[0]);
	return status < 0 ? status : answer->status;
}

static void explain(int status)
{
	fprintf(stderr, "xcollect: warning: nothing is sampled by --sampler: perf_event_open: %s\n", strerror(-status));
	if (status == -EACCES || status == -EPERM)
		fputs("xcollect: to permit it, as root: sysctl kernel.perf_event_paranoid=2; in a container, also let its seccomp profile pass "
		      "perf_event_open\n", stderr);
	fputs("xcollect: clock profiling by timers (-p) goes on\n", stderr);
}

void sampler_begin(const struct request *request, const struct experiment_directory *experiment)
{
	struct answer answer = {0};
	int status;

	if (!request->sampler_ns)
		return;
	status = mkdirat(experiment->fd, FMT_DIR_SAMPLER, 0755) < 0 ? -errno : ask(request, experiment, &answer);
	if (status < 0) {
		unlinkat(experiment->fd, FMT_DIR_SAMPLER, AT_REMOVEDIR);
		explain(status);
	} else if (!answer.in_kernel) {
		fputs("xcollect: --sampler takes no samples in system calls: the system forbids that (kernel.perf_event_paranoid is above 1)\n", stderr);
	}
}
