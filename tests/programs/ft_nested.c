/* ft_nested.c: functions that are passed a value in a special register, or have frames and
 * arguments of unusual forms. Only for gcc; compiled for function tracing.
 *
 *     ft_nested
 *
 * Prints "function count", and exits 1 if a result is wrong. inner is called 10 times, with its
 * outer function's frame in r10; tiny 5 times, by callers that know which registers it changes;
 * wide, with 32-byte vectors, and many, with arguments on the stack, once each. */
#include <stdio.h>

typedef double vector __attribute__((vector_size(32)));

static int wrong;

__attribute__((noipa)) static int outer(int a, int b)
{
	int local = a * 3, sum = 0;
	__attribute__((noipa)) int inner(int x)
	{
		local += x;
		return local + b;
	}

	for (int i = 0; i < 10; i++)
		sum += inner(i);
	return sum;
}

__attribute__((noipa, target("avx"))) static vector wide(vector a, vector b)
{
	return a * b;
}

__attribute__((noipa, target("avx"))) static int vectors(void)
{
	vector result = wide((vector){1, 2, 3, 4}, (vector){5, 6, 7, 8});

	return result[0] == 5 && result[1] == 12 && result[2] == 21 && result[3] == 32;
}

__attribute__((noipa)) static long many(long a, long b, long c, long d, long e, long f, long g,
                                        long h)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

__attribute__((noipa)) static int tiny(int x)
{
	return x + 1;
}

/* Keeps as much as it can in registers that tiny does not change. */
__attribute__((noipa)) static long crowded(long a, long b, long c, long d, long e, long f)
{
	long sum = 0;

	for (int i = 0; i < 5; i++)
		sum += tiny((int)sum) + a * b + c * d + e * f;
	return sum + a + b + c + d + e + f;
}

int main(void)
{
	int has_vectors = __builtin_cpu_supports("avx") != 0;

	wrong |= outer(5, 7) != 385;
	wrong |= has_vectors && !vectors();
	wrong |= many(1, 2, 3, 4, 5, 6, 7, 8) != 204;
	wrong |= crowded(1, 2, 3, 4, 5, 6) != 1416;
	printf("inner.0 10\ntiny 5\nwide %d\nmany 1\n", has_vectors);
	return wrong;
}
