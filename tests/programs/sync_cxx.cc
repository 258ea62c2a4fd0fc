/* sync_cxx: synchronization as C++ programs write it.
 *
 * Facts: in each of 4 threads `locks` takes a std::mutex 50 times and `shared` a std::shared_mutex
 * 20 times, both by pthread functions; `atomic_waits` waits in std::atomic::wait until another
 * thread changes the value 3 ms later: at least one futex wait of at least 1 ms; `semaphores`
 * acquires a std::counting_semaphore that is released 3 ms later. Prints "done". */
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::shared_mutex shared_mutex;
static std::atomic<int> value{0};
static std::counting_semaphore<64> semaphore{0};
static std::atomic<int> arrived{0};

__attribute__((noinline)) static void locks()
{
	for (int i = 0; i < 50; i++)
		std::lock_guard<std::mutex> lock(mutex);
}

__attribute__((noinline)) static void shared()
{
	for (int i = 0; i < 20; i++)
		std::shared_lock<std::shared_mutex> lock(shared_mutex);
}

__attribute__((noinline)) static void atomic_waits()
{
	arrived++;
	value.wait(0);
}

__attribute__((noinline)) static void semaphores()
{
	arrived++;
	semaphore.acquire();
}

/* A loaded system runs a thread late: it is waited for, and then has time to fall asleep. */
static void until_waiting(int threads)
{
	while (arrived < threads)
		std::this_thread::sleep_for(std::chrono::milliseconds(1));
	std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

int main()
{
	std::vector<std::thread> threads;

	for (int i = 0; i < 4; i++)
		threads.emplace_back([] {
			locks();
			shared();
			atomic_waits();
			semaphores();
		});
	until_waiting(4);
	value = 1;
	value.notify_all();
	until_waiting(8);
	semaphore.release(4);
	for (auto &thread : threads)
		thread.join();
	std::puts("done");
}
