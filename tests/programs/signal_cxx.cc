/* signal_cxx: waits of C++ that another thread ends.
 * Facts: main waits 0.15 s each in wait_for_future, for give_future; in wait_for_latch, for
 * give_latch; in wait_for_variable, for give_variable. The functions that give are called by a
 * thread with the name giver, which sleeps 0.15 s before each. */
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <pthread.h>
#include <thread>

#define FUNCTION __attribute__((noinline)) static void

static std::promise<int> promise;
static std::latch latch(1);
static std::mutex mutex;
static std::condition_variable variable;
static bool is_given;

FUNCTION give_future()
{
	promise.set_value(1);
	__asm__("");
}
FUNCTION give_latch()
{
	latch.count_down();
	__asm__("");
}
FUNCTION give_variable()
{
	std::lock_guard<std::mutex> guard(mutex);
	is_given = true;
	variable.notify_one();
}
FUNCTION rest()
{
	std::this_thread::sleep_for(std::chrono::milliseconds(150));
	__asm__("");
}

FUNCTION wait_for_future(std::future<int> &future)
{
	future.wait();
	__asm__("");
}
FUNCTION wait_for_latch()
{
	latch.wait();
	__asm__("");
}
FUNCTION wait_for_variable()
{
	std::unique_lock<std::mutex> lock(mutex);
	variable.wait(lock, [] { return is_given; });
}

int main()
{
	auto future = promise.get_future();
	std::thread giver([] {
		pthread_setname_np(pthread_self(), "giver");
		rest();
		give_future();
		rest();
		give_latch();
		rest();
		give_variable();
	});

	wait_for_future(future);
	wait_for_latch();
	wait_for_variable();
	giver.join();
	return 0;
}
