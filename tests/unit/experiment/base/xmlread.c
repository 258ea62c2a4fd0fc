/* Values of XML files as they were before they were escaped. */
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>

Test(xmlread, restores_ampersands_in_values)
{
	struct maker maker;
	struct exp_cause cause;
	struct experiment *experiment;

	maker_create(&maker);
	maker_log(&maker, "<setting name=\"a\" value=\"&amp;&lt;&amp;\"/>\n"
	                  "<setting name=\"b\" value=\"&amp;#38; &amp;amp; &#38;\"/>\n"
	                  "<setting name=\"c\" value=\"x\\x26y\"/>\n");
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	cr_assert_str_eq(experiment_setting(experiment, "a", ""), "&<&");
	cr_assert_str_eq(experiment_setting(experiment, "b", ""), "&#38; &amp; &");
	cr_assert_str_eq(experiment_setting(experiment, "c", ""), "x&y");
	cr_assert_eq(maker.warnings, 0, "%s", maker.warning);
	experiment_close(experiment);
	maker_destroy(&maker);
}
