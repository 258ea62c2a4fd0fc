import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.locks.LockSupport;

/* Waits of a Java program. Facts: each method doNAME waits once for 200 ms or so, and does nothing else: it sleeps, enters a monitor that
 * another thread has, waits for a notification, parks, reads from a socket. For each of them the program prints "doNAME STATE SECONDS":
 * what the Java machine waits for, as a metric of wall-clock time (it sleeps and parks by conditions), and for how long. The threads "notifier",
 * "unparker" and "writer" end the last three. */
class JavaWaits {
	static final int MS = 200;
	static final Object monitor = new Object(), condition = new Object();
	static volatile boolean isHeld, isNotified;

	interface Call {
		void run() throws Exception;
	}

	static void doSleep() throws Exception {
		Thread.sleep(MS);
	}

	static void doEnter() {
		synchronized (monitor) {
			isHeld = false;
		}
	}

	static void doWait() throws Exception {
		synchronized (condition) {
			while (!isNotified)
				condition.wait();
		}
	}

	static void doPark() {
		LockSupport.park();
	}

	static void doRead(InputStream in) throws Exception {
		in.read();
	}

	static void measure(String name, String state, Call call) throws Exception {
		long begin = System.nanoTime();

		call.run();
		System.out.printf(java.util.Locale.ROOT, "%s %s %.6f%n", name, state, (System.nanoTime() - begin) / 1e9);
	}

	static Thread start(String name, Call call) {
		Thread thread = new Thread(() -> {
			try {
				call.run();
			} catch (Exception e) {
				e.printStackTrace();
			}
		}, name);

		thread.start();
		return thread;
	}

	static void hold() throws Exception {
		synchronized (monitor) {
			isHeld = true;
			Thread.sleep(MS);
		}
	}

	static void notifyLate() throws Exception {
		Thread.sleep(MS);
		synchronized (condition) {
			isNotified = true;
			condition.notify();
		}
	}

	public static void main(String[] arguments) throws Exception {
		ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
		Socket client = new Socket(server.getInetAddress(), server.getLocalPort()), end = server.accept();
		InputStream in = client.getInputStream();
		Thread main = Thread.currentThread(), other;

		measure("doSleep", "cond", JavaWaits::doSleep);
		other = start("holder", JavaWaits::hold);
		while (!isHeld)
			Thread.onSpinWait();
		measure("doEnter", "lock", JavaWaits::doEnter);
		other.join();
		other = start("notifier", JavaWaits::notifyLate);
		measure("doWait", "cond", JavaWaits::doWait);
		other.join();
		other = start("unparker", () -> {
			Thread.sleep(MS);
			LockSupport.unpark(main);
		});
		measure("doPark", "cond", JavaWaits::doPark);
		other.join();
		other = start("writer", () -> {
			Thread.sleep(MS);
			end.getOutputStream().write(7);
		});
		measure("doRead", "socket", () -> doRead(in));
		other.join();
	}
}
