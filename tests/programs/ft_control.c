/* ft_control.c: linked with a program that clang built with -fxray-instrument: makes LLVM's own
 * runtime write a flight data recorder log of the whole run. Its interface is the only way to
 * that. */
#include <stdlib.h>

#define PLAIN __attribute__((xray_never_instrument))

int __xray_log_select_mode(const char *mode);
int __xray_log_init_mode(const char *mode, const char *configuration);
int __xray_patch(void);
int __xray_log_finalize(void);
int __xray_log_flushLog(void);

PLAIN static void finish(void)
{
	__xray_log_finalize();
	__xray_log_flushLog();
}

PLAIN __attribute__((constructor(65535))) static void begin(void)
{
	__xray_log_select_mode("xray-fdr");
	__xray_log_init_mode("xray-fdr",
	                     "func_duration_threshold_us=0:buffer_size=16384:buffer_max=400");
	__xray_patch();
	atexit(finish);
}
