/* server.c: an example of the guide. A thread answers requests for a second, another one writes
 * their log to the disk meanwhile, slowly.
 *   cc -g -O1 -pthread -o server server.c && ./server */
#define _GNU_SOURCE /* pthread_setname_np */

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *log_file;
static volatile long result;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void compute(void)
{
	for (long i = 0; i < 300000; i++)
		result += i;
}

static void log_request(void)
{
	pthread_mutex_lock(&log_lock);
	fputs("one request\n", log_file);
	pthread_mutex_unlock(&log_lock);
}

static void *serve(void *nothing)
{
	for (double end = now() + 1; now() < end; usleep(1000)) {
		compute();
		log_request();
	}
	return nothing;
}

static void write_to_disk(void)
{
	usleep(150000);
}

static void *flush_log(void *nothing)
{
	for (int i = 0; i < 2; i++) {
		usleep(250000);
		pthread_mutex_lock(&log_lock);
		write_to_disk();
		pthread_mutex_unlock(&log_lock);
	}
	return nothing;
}

int main(void)
{
	pthread_t server, flusher;

	log_file = fopen("server.log", "w");
	if (!log_file)
		return 1;
	pthread_create(&flusher, NULL, flush_log, NULL);
	pthread_setname_np(flusher, "flusher");
	pthread_create(&server, NULL, serve, NULL);
	pthread_setname_np(server, "server");
	pthread_join(server, NULL);
	pthread_join(flusher, NULL);
	return 0;
}
