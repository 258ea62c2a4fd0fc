/* defaults.c: owns what dmetrics, dsort and en_desc have set. */
#include "analyzer/model/defaults.h"

#include "experiment/base/regexwork.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct defaults {
	char *metrics, *sort; /* NULL: as metric_defaults */
	enum { ALL, NONE, MATCHING } descendants;
	regex_t regex; /* of MATCHING */
};

struct defaults *defaults_create(void)
{
	return memory_take(1, sizeof(struct defaults));
}

void defaults_destroy(struct defaults *defaults)
{
	free(defaults->metrics);
	free(defaults->sort);
	if (defaults->descendants == MATCHING)
		regfree(&defaults->regex);
	free(defaults);
}

/* Without data yet, every metric is known; which of them there are is found out when they are used.
 */
#define EVERY_KIND (~0u)

void defaults_metrics(const struct defaults *defaults, unsigned have, struct metric_list *list,
                      struct metric_sort *sort)
{
	char error[METRIC_ERROR_MAX];
	struct metric_list wanted;
	struct metric_sort order;

	metric_defaults(have, list, sort);
	if (defaults->metrics &&
	    metric_list_parse(defaults->metrics, EVERY_KIND, &wanted, error) == 0 &&
	    metric_list_reduce(have, &wanted) != 0) {
		*list = wanted;
		metric_sort_adjust(list, sort);
	}
	if (defaults->sort && metric_sort_parse(defaults->sort, have, &order, error) == 0)
		*sort = order;
}

static void set_text(char **to, const char *text)
{
	free(*to);
	*to = memory_text(text, strlen(text));
}

int defaults_set_metrics(struct defaults *defaults, const char *spec, char *error)
{
	struct metric_list list;
	int status = metric_list_parse(spec, EVERY_KIND, &list, error);

	if (status == 0)
		set_text(&defaults->metrics, spec);
	return status;
}

int defaults_set_sort(struct defaults *defaults, const char *spec, char *error)
{
	struct metric_sort sort;
	int status = metric_sort_parse(spec, EVERY_KIND, &sort, error);

	if (status == 0)
		set_text(&defaults->sort, spec);
	return status;
}

int defaults_set_descendants(struct defaults *defaults, const char *text, char *error)
{
	char *whole, why[EXP_REGEX_WHY];
	regex_t regex;
	int status = 0, is_regex = text[0] == '=';

	if (!is_regex && strcasecmp(text, "on") != 0 && strcasecmp(text, "off") != 0) {
		snprintf(error, METRIC_ERROR_MAX, "'%.40s' is not on, off or =REGEX", text);
		return -EINVAL;
	}
	if (is_regex) {
		whole = memory_format("^(%s)$", text + 1);
		status = exp_regex_compile(&regex, whole, why);
		if (status == -ENOMEM)
			memory_fail();
		if (status != 0)
			snprintf(error, METRIC_ERROR_MAX, "%s", why);
		free(whole);
	}
	if (status != 0)
		return -EINVAL;
	if (defaults->descendants == MATCHING)
		regfree(&defaults->regex);
	if (is_regex)
		defaults->regex = regex;
	defaults->descendants = strcasecmp(text, "on") == 0 ? ALL : NONE;
	if (is_regex)
		defaults->descendants = MATCHING;
	return 0;
}

int defaults_may_open(const struct defaults *defaults)
{
	return defaults->descendants != NONE;
}

int defaults_opens(const struct defaults *defaults, const char *lineage, const char *program)
{
	if (defaults->descendants != MATCHING)
		return defaults->descendants == ALL;
	return memory_matches(&defaults->regex, lineage) ||
	       (program && memory_matches(&defaults->regex, text_base(program)));
}
