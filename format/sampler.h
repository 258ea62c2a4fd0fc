/* sampler.h: between xcollect and xer_sampler, the helper of --sampler. */
#ifndef XER_FORMAT_SAMPLER_H
#define XER_FORMAT_SAMPLER_H

/* The helper's descriptors: the experiment, and where it answers. */
enum { FMT_SAMPLER_EXPERIMENT = 3, FMT_SAMPLER_ANSWER = 4 };

/* The answer of the helper when it is ready, or cannot be. */
struct sampler_answer {
	int status; /* 0 or -errno */
	int in_kernel;
};

#endif
