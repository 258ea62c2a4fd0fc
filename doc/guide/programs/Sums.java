/* Sums.java: an example of the guide. */
public class Sums {
	static long sum(int[] values) {
		long sum = 0;
		for (int i = 0; i < values.length; i++)
			sum += values[i] % (i + 1);
		return sum;
	}

	public static void main(String[] args) {
		int[] values = new int[1000];
		long sum = 0;
		for (int i = 0; i < values.length; i++)
			values[i] = i * 7919;
		for (int i = 0; i < 60000; i++)
			sum += sum(values);
		System.out.println(sum);
	}
}
