/* introduction.c: how to begin, and what can be recorded here. See introduction.h. */
#include "collect/introduction.h"

#include "collect/machine/counters.h"
#include "collect/machine/profileclock.h"

enum { INTERVAL_US = 1000 }; /* of the samples that -p hi asks for, about */

static void put_clock(FILE *to)
{
	struct profileclock clock;
	char text[320];

	profileclock_find(&clock);
	if (clock.kind == PROFILECLOCK_NONE)
		fputs("  no clock samples\n", to);
	else if (profileclock_explain(&clock, INTERVAL_US, text, sizeof(text)))
		fprintf(to, "  %s\n", text);
	else
		fputs("  clock samples of any interval from 100 microseconds\n", to);
}

static void put_counters(FILE *to)
{
	unsigned known, here = counters_working(&known);

	fprintf(to, "  %u of %u events of the processor and the kernel; xcollect -h lists them\n",
	        here, known);
}

void introduction_print(const struct installation *installation, FILE *to)
{
	fputs("xcollect records what a program does into an experiment, and xer_print prints it:\n\n"
	      "  xcollect ./app arguments           where its CPU time goes; makes test.1.er\n"
	      "  xcollect -H on -s on -i on ./app   its heap, its waits, its input and output too\n"
	      "  xcollect -P PID -t 10              a process that runs already, for 10 seconds\n"
	      "  xer_print -overview test.1.er      what stands out\n\n"
	      "Here it can record:\n",
	      to);
	put_clock(to);
	put_counters(to);
	fprintf(to, "  32-bit programs: %s\n",
	        installation->library32[0] ? "user events, usage and descendants" : "no");
	fprintf(to, "  running processes, and from outside what cannot load the recorder: %s, %s\n",
	        installation->helper[0] ? "-P" : "no -P",
	        installation->sampler[0] ? "--sampler" : "no --sampler");
	fputs("\nxcollect --help lists the options; xcollect(1) explains them.\n", to);
}
