/* orders.c: the example of the guide. It writes a file of orders, and two threads price them.
 *   cc -g -O1 -pthread -o orders orders.c && ./orders [ORDERS]
 * It is slow, leaks and waits, each in one place that the guide finds. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct order {
	unsigned customer, amount;
	char *label;
};

static pthread_mutex_t ledger_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long ledger;
static struct order *orders;
static size_t order_count;

/* Most of the CPU time: it prices an order digit by digit. */
__attribute__((noinline)) static unsigned long price(const struct order *order)
{
	unsigned long sum = order->customer;

	for (unsigned i = 0; i < 400; i++)
		sum = sum * 31 + (sum >> 7) % (order->amount + 1);
	return sum;
}

/* A tenth of it. */
__attribute__((noinline)) static unsigned long discount(const struct order *order)
{
	unsigned long sum = order->amount;

	for (unsigned i = 0; i < 40; i++)
		sum = sum * 17 + (sum >> 5) % (order->customer + 1);
	return sum;
}

/* The lock is held for longer than is needed: the discount is worked out under it. */
__attribute__((noinline)) static void enter(const struct order *order, unsigned long priced)
{
	pthread_mutex_lock(&ledger_lock);
	ledger += priced - discount(order) % 100;
	pthread_mutex_unlock(&ledger_lock);
}

static void *worker(void *first)
{
	for (size_t i = *(size_t *)first; i < order_count; i += 2)
		enter(&orders[i], price(&orders[i]));
	return NULL;
}

/* A label in a hundred is replaced, and the old one is forgotten: a leak. */
__attribute__((noinline)) static void relabel(struct order *order)
{
	order->label = strdup("urgent");
}

static void write_orders(const char *path, size_t count)
{
	FILE *file = fopen(path, "w");

	for (size_t i = 0; file && i < count; i++)
		fprintf(file, "%zu %zu\n", i * 7919 % 1000, i * 104729 % 10000);
	if (!file || fclose(file) != 0)
		exit(1);
}

static void read_orders(const char *path, size_t count)
{
	FILE *file = fopen(path, "r");
	char line[64];

	orders = calloc(count, sizeof(*orders));
	while (file && orders && order_count < count && fgets(line, sizeof(line), file)) {
		struct order *order = &orders[order_count++];

		sscanf(line, "%u %u", &order->customer, &order->amount);
		order->label = strdup(line);
		if (order_count % 100 == 0)
			relabel(order);
	}
	if (file)
		fclose(file);
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 200000;
	size_t first[2] = {0, 1};
	pthread_t threads[2];

	write_orders("orders.txt", count);
	read_orders("orders.txt", count);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, &first[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%lu\n", ledger);
	for (size_t i = 0; i < order_count; i++)
		free(orders[i].label);
	free(orders);
	return 0;
}
