/* A little of everything that is recorded of Java, for a golden experiment. It begins paused (-y), and resumes when the class is loaded.
 *
 * A thread named "worker" spends 0.1 s in `turn`, into which `step` is inlined where it is compiled; then it makes 12 arrays of a megabyte in
 * `fill`, of which one is kept; then main runs the garbage collector. */
import collector.CollectorAPI;

public class JavaSmall {
	static volatile long sink;
	static volatile byte[] kept;

	static long step(long x) {
		return x * 6364136223846793005L + 1;
	}

	static long turn(long n) {
		long x = n;

		for (long i = 0; i < n; i++)
			x = step(x);
		return x;
	}

	static void work() {
		long end = System.nanoTime() + 100_000_000;

		while (System.nanoTime() < end)
			sink += turn(1_000_000);
	}

	static void fill() {
		for (int i = 0; i < 12; i++)
			kept = new byte[1 << 20];
	}

	static class Worker extends Thread {
		public void run() {
			work();
			fill();
		}
	}

	public static void main(String[] arguments) throws InterruptedException {
		Worker worker = new Worker();

		worker.setName("worker");
		CollectorAPI.resume();
		worker.start();
		worker.join();
		System.gc();
	}
}
