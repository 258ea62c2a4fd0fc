/* ft_plugin.c: a shared object for ft_host; see there. */
void plugged(void);
void plug(int count);

__attribute__((noinline)) void plugged(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) void plug(int count)
{
	for (int i = 0; i < count; i++)
		plugged();
}
