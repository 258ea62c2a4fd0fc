/* datakind.c: the table of the kinds of data. See datakind.h. */
#include "analyzer/model/datakind.h"

const struct datakind datakinds[FMT_DATAKINDS] = {
#define DATAKIND(id, number, stream, reader, stage, count, setting, option, word, name, title, \
                 key, events, ...) \
	[number] = {setting, option, word, name, title, key, events, KIND_CHOSEN(__VA_ARGS__)},
#define KIND_CHOSEN(chosen, chosen_count) chosen
#include "format/datakind.def"
};

const uint8_t datakinds_shown[FMT_DATAKINDS] = {
#define DATAKIND(id, number, ...) number,
#include "format/datakind.def"
};

const char *datakind_name(unsigned data)
{
	return datakinds[__builtin_ctz(data)].name;
}

uint64_t datakind_events(const struct exp_quality *quality, unsigned number)
{
	switch (number) {
#define DATAKIND(id, number, stream, reader, stage, count, ...) \
	case number: \
		return quality->count;
#include "format/datakind.def"
	default:
		return 0;
	}
}

uint64_t datakind_chosen(const struct exp_data_set *set, unsigned number)
{
	switch (number) {
#define DATAKIND(id, number, stream, reader, stage, count, setting, option, word, name, title, \
                 key, events, chosen, chosen_count) \
	case number: \
		return chosen_count;
#include "format/datakind.def"
	default:
		return 0;
	}
}

void datakind_add_events(struct exp_quality *to, const struct exp_quality *from)
{
#define DATAKIND(id, number, stream, reader, stage, count, ...) to->count += from->count;
#include "format/datakind.def"
}
