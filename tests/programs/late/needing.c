/* needing: a library that was linked with sealed.so, whose functions other libraries have too. */
int call_setenv(void);
int needing_call(void);

int needing_call(void)
{
	return call_setenv();
}
