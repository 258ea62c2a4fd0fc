/* manual.c: see manual.h. The page is linked into the program as it is. */
#include "analyzer/manual/manual.h"

#include "analyzer/manual/roff.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

enum { INDENT = 2, HEADING_MAX = 256 };

__asm__(".pushsection .rodata\n"
        "manual_page:\n"
        ".incbin \"man/xer_print.1\"\n"
        ".byte 0\n"
        ".popsection\n");
extern const char manual_page[] __attribute__((visibility("hidden")));

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return *line == '\0' ? line : line + 1;
}

static int begins(const char *line, const char *macro)
{
	size_t len = strlen(macro);

	return strncmp(line, macro, len) == 0 && !isalpha((unsigned char)line[len]);
}

static void plain(const char *line, char *text)
{
	roff_plain(line, strcspn(line, "\n"), text, HEADING_MAX);
}

/* Is it one of the names of a tag, such as "crmfirst, crmlast" or "calltree [ctree]"? A name begins
 * the tag, or stands behind a comma or a bracket. */
static int names(const char *tag, const char *topic)
{
	size_t len = strlen(topic);

	for (const char *at = tag; *at != '\0'; at++) {
		int begins_name = at == tag || at[-1] == '[' ||
		                  (at - tag >= 2 && at[-1] == ' ' && at[-2] == ',');

		if (begins_name && strncasecmp(at, topic, len) == 0 &&
		    !isalnum((unsigned char)at[len]) && !strchr("_-", at[len] ? at[len] : ' '))
			return 1;
	}
	return 0;
}

/* The end of an entry of a list whose first line behind its tag this is. */
static const char *end_of_entry(const char *line)
{
	int depth = 0;

	for (; *line != '\0'; line = next_line(line)) {
		depth += begins(line, ".RS") - begins(line, ".RE");
		if (depth <= 0 && (begins(line, ".TP") || begins(line, ".PP") ||
		                   begins(line, ".SS") || begins(line, ".SH")))
			break;
	}
	return line;
}

/* The tag of the command's entry in COMMANDS; NULL: there is none. */
static const char *find_command(const char *topic)
{
	int inside = 0;
	char text[HEADING_MAX];

	for (const char *line = manual_page; *line != '\0'; line = next_line(line)) {
		if (begins(line, ".SH"))
			inside = begins(line, ".SH COMMANDS");
		if (!inside || !begins(line, ".TP"))
			continue;
		line = next_line(line);
		plain(line, text);
		if (names(text, topic))
			return line;
	}
	return NULL;
}

/* The heading of a section; NULL: there is none. */
static const char *find_section(const char *topic)
{
	char text[HEADING_MAX];

	for (const char *line = manual_page; *line != '\0'; line = next_line(line)) {
		if (!begins(line, ".SH") && !begins(line, ".SS"))
			continue;
		plain(line, text);
		if (strcasecmp(text, topic) == 0)
			return line;
	}
	return NULL;
}

static const char *end_of_section(const char *heading)
{
	int is_small = begins(heading, ".SS");
	const char *line = next_line(heading);

	while (*line != '\0' && !begins(line, ".SH") && !(is_small && begins(line, ".SS")))
		line = next_line(line);
	return line;
}

int manual_put(const char *topic, size_t columns, FILE *out)
{
	const char *from = find_command(topic), *section;

	if (from) {
		from = next_line(from);
		roff_put(from, (size_t)(end_of_entry(from) - from), columns, INDENT, out);
	}
	section = find_section(topic);
	if (section)
		roff_put(section, (size_t)(end_of_section(section) - section), columns, 0, out);
	return from || section ? 0 : -ENOENT;
}
