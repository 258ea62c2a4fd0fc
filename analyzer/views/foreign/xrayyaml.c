/* xrayyaml.c: a foreign log as YAML, quoted as LLVM does. */
#include "analyzer/views/foreign/xrayforms.h"

#include "analyzer/base/memory.h"
#include "analyzer/views/foreign/xraysorted.h"

#include <stdlib.h>
#include <string.h>

enum quoting { PLAIN, SINGLE, DOUBLE };

static int is_one_of(const char *text, const char *const *words)
{
	while (*words && strcmp(text, *words) != 0)
		words++;
	return *words != NULL;
}

static const char *skip(const char *text, const char *characters)
{
	return text + strspn(text, characters);
}

/* Would a reader take it for a number? (YAML 1.2, core schema) */
static int is_number(const char *text)
{
	static const char *const odd[] = {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN", NULL};
	static const char decimal[] = "0123456789";
	const char *whole, *end;

	if (is_one_of(text, odd))
		return 1;
	if (strncmp(text, "0x", 2) == 0 || strncmp(text, "0o", 2) == 0)
		return text[2] != '\0' && *skip(text + 2, text[1] == 'x' ? "0123456789abcdefABCDEF"
		                                                         : "01234567") == '\0';
	whole = skip(text, decimal);
	end = *whole == '.' ? skip(whole + 1, decimal) : whole;
	if (end - text - (*whole == '.') <= 0)
		return 0;
	if (*end == 'e' || *end == 'E') {
		const char *exponent = end + 1 + (end[1] == '-' || end[1] == '+');

		end = skip(exponent, decimal);
		if (end == exponent)
			return 0;
	}
	return *end == '\0';
}

/* Would a reader take it for something else than a text? What begins with a sign is quoted anyway.
 */
static int is_value(const uint8_t *text, size_t len)
{
	static const char *const words[] = {"null", "Null",  "NULL",  "true",  "True",
	                                    "TRUE", "false", "False", "FALSE", NULL};
	char *copy = memory_text((const char *)text, len);
	int is = is_one_of(copy, words) || is_number(copy);

	free(copy);
	return is;
}

static enum quoting quoting_of(const uint8_t *text, size_t len)
{
	enum quoting quoting = PLAIN;

	if (len == 0 || strchr("-?:\\,[]{}#&*!|>'\"%@`", text[0]) || text[0] == ' ' ||
	    text[len - 1] == ' ')
		quoting = SINGLE;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < 0x20 ? text[i] != '\t' : text[i] >= 0x7f)
			return DOUBLE;
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-^., \t",
		            text[i]))
			quoting = SINGLE;
	}
	return is_value(text, len) ? SINGLE : quoting;
}

static void put_double(FILE *out, const uint8_t *text, size_t len)
{
	static const char names[] = "0abtnvfre", values[] = "\0\a\b\t\n\v\f\r\x1b";

	fputc('"', out);
	for (size_t i = 0; i < len; i++) {
		const char *known = memchr(values, text[i], sizeof(values) - 1);

		if (known)
			fprintf(out, "\\%c", names[known - values]);
		else if (text[i] == '"' || text[i] == '\\')
			fprintf(out, "\\%c", text[i]);
		else if (text[i] < 0x20 || text[i] >= 0x7f)
			fprintf(out, "\\x%02X", text[i]);
		else
			fputc(text[i], out);
	}
	fputc('"', out);
}

static void put_scalar(FILE *out, const uint8_t *text, size_t len)
{
	enum quoting quoting = quoting_of(text, len);

	if (quoting == DOUBLE) {
		put_double(out, text, len);
		return;
	}
	if (quoting == SINGLE)
		fputc('\'', out);
	for (size_t i = 0; i < len; i++) {
		if (quoting == SINGLE && text[i] == '\'')
			fputc('\'', out);
		fputc(text[i], out);
	}
	if (quoting == SINGLE)
		fputc('\'', out);
}

static void put_yaml_record(FILE *out, const struct xraylogs_source *source,
                            const struct xraylog_record *record)
{
	const struct sym_function *function = xraylogs_function(source, record->function);

	static const char *const kinds[] = {"function-enter",     "function-exit",
	                                    "function-tail-exit", "function-enter-arg",
	                                    "custom-event",       "typed-event"};

	fprintf(out, "  - { type: %u, func-id: %u, function: ", record->event_type,
	        record->function);
	if (function)
		put_scalar(out, (const uint8_t *)function->name, strlen(function->name));
	else
		fprintf(out, "'%u'", record->function);
	for (uint32_t i = 0; i < record->argument_count; i++)
		fprintf(out, "%s%llu%s", i == 0 ? ", args: [ " : ", ",
		        (unsigned long long)record->arguments[i],
		        i + 1 == record->argument_count ? " ]" : "");
	fprintf(out, ", cpu: %u, thread: %u", record->cpu, record->tid);
	if (record->pid != 0)
		fprintf(out, ", process: %u", record->pid);
	fprintf(out, ", kind: %s, tsc: %llu, data: ", kinds[record->kind],
	        (unsigned long long)record->tsc);
	put_scalar(out, record->data, record->data_size);
	fputs(" }\n", out);
}

void xrayforms_put_yaml(FILE *out, const struct xraylogs_source *source)
{
	const struct xraylog *log = source->log;
	struct sorter *sorter = xraysorted_begin(log);
	struct xraylog_record record;

	fprintf(out,
	        "---\nheader:\n  version:         %u\n  type:            %u\n  constant-tsc:    %s\n"
	        "  nonstop-tsc:     %s\n  cycle-frequency: %llu\nrecords:\n",
	        log->version, log->type, log->constant_tsc ? "true" : "false",
	        log->nonstop_tsc ? "true" : "false", (unsigned long long)log->cycle_frequency);
	while (xraysorted_next(sorter, &record))
		put_yaml_record(out, source, &record);
	fputs("...\n", out);
	sorter_free(sorter);
}
