/* The maker of synthetic experiments, which tests/unit/experiment has, for the tests of the views.
 */
#include "tests/unit/experiment/make_experiment.c"
