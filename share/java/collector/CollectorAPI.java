package collector;

/**
 * Controls the recording from the program that is recorded, as collectorAPI(3) does for C. In a program that is not recorded, or
 * with xcollect -j off, all methods do nothing.
 */
public final class CollectorAPI {
	private static volatile boolean isRecorded = true; /* until the first call shows that it is not */

	private CollectorAPI() {
	}

	/** Take a sample of resource usage, with a name. */
	public static void sample(String name) {
		call(() -> sample0(name));
	}

	/** Record no events from here on. */
	public static void pause() {
		call(CollectorAPI::pause0);
	}

	/** Record events again. */
	public static void resume() {
		call(CollectorAPI::resume0);
	}

	/** End the recording for good; the program goes on. */
	public static void terminate() {
		call(CollectorAPI::terminate0);
	}

	private static void call(Runnable function) {
		if (!isRecorded)
			return;
		try {
			function.run();
		} catch (UnsatisfiedLinkError notRecorded) {
			isRecorded = false;
		}
	}

	/* The recorder binds these when the class is prepared. */
	private static native void sample0(String name);

	private static native void pause0();

	private static native void resume0();

	private static native void terminate0();
}
