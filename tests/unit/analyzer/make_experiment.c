/* The maker of synthetic experiments of tests/unit/experiment, for the tests of the views. */
#include "tests/unit/experiment/make_experiment.c"
