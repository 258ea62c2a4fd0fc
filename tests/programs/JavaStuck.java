/* Two threads that wait for the monitor that the other one holds, and one that waits to be notified;
 * after half a second the program is halted with 3. */
public class JavaStuck {
	static final Object a = new Object(), b = new Object();
	static volatile int held;

	static void takes(Object first, Object second) {
		synchronized (first) {
			held++;
			while (held < 2)
				Thread.onSpinWait();
			synchronized (second) {
				held++;
			}
		}
	}

	static void waits() {
		synchronized (JavaStuck.class) {
			try {
				JavaStuck.class.wait();
			} catch (InterruptedException e) {
			}
		}
	}

	public static void main(String[] arguments) throws Exception {
		new Thread(() -> takes(a, b), "first").start();
		new Thread(() -> takes(b, a), "second").start();
		new Thread(() -> waits(), "third").start();
		Thread.sleep(500);
		Runtime.getRuntime().halt(3);
	}
}
