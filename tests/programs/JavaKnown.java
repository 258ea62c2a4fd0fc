/* Java work with known facts.
 *
 * JavaKnown split: four methods that do the same work use 40, 30, 20 and 10 % of the CPU time, in turns of some tens of milliseconds.
 * Prints for each its CPU time in milliseconds: "work_a 812".
 *
 * JavaKnown threads N: three threads sort, hash, and count under a monitor that a fourth one, named "other", wants too; N rounds each. All their
 * work is called from Thread.run(), through work() of this class. Prints "done".
 *
 * JavaKnown control: takes a sample named "first", and uses 0.1 s of CPU time or more in each of work_a, while events are paused, work_b, while
 * they are recorded, and work_c, after the end of the recording. Prints "done".
 *
 * JavaKnown variable: prints the value of JAVA_TOOL_OPTIONS, and the arguments that the JVM was given. */
import collector.CollectorAPI;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Random;

public class JavaKnown {
	static final long TURN = 20_000_000;
	static final int TURNS = 5;
	static final Object lock = new Object();
	static volatile long sink;

	static long work_a(long n) { long x = n; for (long i = 0; i < n; i++) x = x * 6364136223846793005L + i; return x; }
	static long work_b(long n) { long x = n; for (long i = 0; i < n; i++) x = x * 6364136223846793005L + i; return x; }
	static long work_c(long n) { long x = n; for (long i = 0; i < n; i++) x = x * 6364136223846793005L + i; return x; }
	static long work_d(long n) { long x = n; for (long i = 0; i < n; i++) x = x * 6364136223846793005L + i; return x; }

	static void split() {
		var clock = ManagementFactory.getThreadMXBean();
		long[] used = new long[4];

		for (int turn = 0; turn < TURNS; turn++) {
			long start = clock.getCurrentThreadCpuTime();
			sink += work_a(TURN * 4);
			long a = clock.getCurrentThreadCpuTime();
			sink += work_b(TURN * 3);
			long b = clock.getCurrentThreadCpuTime();
			sink += work_c(TURN * 2);
			long c = clock.getCurrentThreadCpuTime();
			sink += work_d(TURN);
			long d = clock.getCurrentThreadCpuTime();
			used[0] += a - start;
			used[1] += b - a;
			used[2] += c - b;
			used[3] += d - c;
		}
		for (int i = 0; i < used.length; i++)
			System.out.println("work_" + "abcd".charAt(i) + " " + used[i] / 1000000);
	}

	static void sort(int rounds) {
		Random random = new Random(1);

		for (int round = 0; round < rounds; round++) {
			Integer[] numbers = new Integer[20000];
			for (int i = 0; i < numbers.length; i++)
				numbers[i] = random.nextInt();
			Arrays.sort(numbers, Comparator.comparing(x -> x));
			sink += numbers[0];
		}
	}

	static void hash(int rounds) {
		for (int round = 0; round < rounds; round++) {
			HashMap<String, Integer> counts = new HashMap<>();
			for (int i = 0; i < 20000; i++)
				counts.merge("key " + i % 3000, 1, Integer::sum);
			sink += counts.size();
		}
	}

	static void count(int rounds) {
		for (int round = 0; round < rounds * 300; round++)
			synchronized (lock) {
				long x = 0;
				for (int i = 0; i < 2000; i++)
					x += i ^ round;
				sink += x;
			}
	}

	static void work(String what, int rounds) {
		switch (what) {
		case "sorter" -> sort(rounds);
		case "hasher" -> hash(rounds);
		default -> count(rounds);
		}
	}

	static void threads(int rounds) throws InterruptedException {
		Thread[] threads = new Thread[4];
		String[] names = {"sorter", "hasher", "counter", "other"};

		for (int i = 0; i < threads.length; i++) {
			String name = names[i];
			threads[i] = new Thread(() -> work(name, rounds), name);
			threads[i].start();
		}
		for (Thread thread : threads)
			thread.join();
		System.out.println("done");
	}

	static void control() {
		CollectorAPI.sample("first");
		CollectorAPI.pause();
		sink += work_a(TURN * 5);
		CollectorAPI.resume();
		sink += work_b(TURN * 5);
		CollectorAPI.terminate();
		sink += work_c(TURN * 5);
		System.out.println("done");
	}

	public static void main(String[] arguments) throws InterruptedException {
		if (arguments[0].equals("split"))
			split();
		else if (arguments[0].equals("threads"))
			threads(Integer.parseInt(arguments[1]));
		else if (arguments[0].equals("control"))
			control();
		else
			System.out.println(System.getenv("JAVA_TOOL_OPTIONS") + " " +
					   ManagementFactory.getRuntimeMXBean().getInputArguments());
	}
}
