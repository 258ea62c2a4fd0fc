/* cell.c: the kinds of values that cells of documents have, and their text for programs. */
#include "analyzer/print/print.h"

#include <string.h>

static const struct {
	const char *kind, *unit;
} types[] = {
#define X(id, kind, unit) {kind, unit},
	PRINT_TYPES(X)
#undef X
};

const char *print_type_kind(enum print_type type)
{
	return types[type].kind;
}

const char *print_type_unit(enum print_type type)
{
	return types[type].unit;
}

int print_type_is_number(enum print_type type)
{
	return strcmp(types[type].kind, "number") == 0;
}

enum print_type print_type_change(enum print_type type)
{
	switch (type) {
	case PRINT_COUNT:
		return PRINT_COUNT_CHANGE;
	case PRINT_BYTES:
		return PRINT_BYTES_CHANGE;
	case PRINT_NS:
	case PRINT_SECONDS:
		return PRINT_SECONDS;
	case PRINT_PERCENT:
		return PRINT_PERCENT;
	default:
		return PRINT_VALUE;
	}
}

char *print_cell_format(enum print_type type, const struct print_cell *cell, char *text)
{
	unsigned long long number = cell->number;

	text[0] = '\0';
	if (cell->is_none)
		return text;
	switch (type) {
	case PRINT_WORD:
	case PRINT_LIST:
	case PRINT_FIGURE:
		break;
	case PRINT_ID:
	case PRINT_COUNT:
	case PRINT_BYTES:
		snprintf(text, 64, "%llu", number);
		break;
	case PRINT_NS:
		snprintf(text, 64, "%llu.%09llu", number / 1000000000, number % 1000000000);
		break;
	case PRINT_SECONDS:
	case PRINT_MOMENT:
		snprintf(text, 64, "%.9f", cell->real);
		break;
	case PRINT_PERCENT:
		snprintf(text, 64, "%.2f", cell->real);
		break;
	case PRINT_RATIO:
		snprintf(text, 64, "%.4f", cell->real);
		break;
	case PRINT_VALUE:
	case PRINT_COUNT_CHANGE:
	case PRINT_BYTES_CHANGE:
		snprintf(text, 64, "%.15g", cell->real);
		break;
	case PRINT_HEX:
		snprintf(text, 64, "0x%08llx", number);
		break;
	}
	return text;
}
