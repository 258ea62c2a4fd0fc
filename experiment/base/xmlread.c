/* xmlread.c: owns all use of libxml2. The file is fed to its push parser piece by piece, so
 * memory does not grow with it and everything before a fault is delivered; document types and
 * entities are refused, depth, attributes and elements are bounded. */
#include "experiment/base/xmlread.h"

#include "format/xml.h"

#include <errno.h>
#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX ((off_t)1 << 30) /* some days in which libraries are loaded ten times a second */
#define PARSE_OPTIONS \
	(XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_IGNORE_ENC)
enum { CHUNK = 16 << 10, TEXT_MAX = 1 << 20, NAMES = 64 };

struct parser {
	struct exp_xml_walk *walk;
	xmlParserCtxtPtr context;
	int depth;
	size_t elements;
	int rc;                     /* why the walk ends early, 0: it does not */
	struct exp_element pending; /* the element whose text is being gathered; name NULL: none */
	char *text;
	size_t text_len;
	int no_memory;            /* libxml2 got none */
	const char *names[NAMES]; /* names[name_count]: of elements and attributes that were met */
	size_t name_count;
};

/* How many bytes the parser has read. */
static unsigned long position(const struct parser *parser)
{
#if LIBXML_VERSION >= 21500
	unsigned long bytes = 0;

	xmlCtxtGetInputPosition(parser->context, 0, NULL, NULL, NULL, &bytes);
	return bytes;
#else
	long bytes = xmlByteConsumed(parser->context);

	return bytes < 0 ? 0 : (unsigned long)bytes;
#endif
}

static void stop(struct parser *parser, int rc, const char *what)
{
	if (parser->rc != 0)
		return;
	parser->rc = rc;
	if (what)
		snprintf(parser->walk->fault, sizeof(parser->walk->fault), "offset %lu: %s",
		         position(parser), what);
	xmlStopParser(parser->context);
}

static char *take_text(struct parser *parser, const char *text, size_t len)
{
	char *copy = exp_arena_text(parser->walk->arena, text, len);

	if (copy)
		xml_decode(copy);
	return copy;
}

/* An ampersand in the value of an attribute comes from libxml2 as "&#38;", since it is not to
 * replace entities; in text it comes as itself. */
static void restore_ampersands(char *value)
{
	static const char reference[] = "&#38;";
	char *to = value;

	for (const char *from = value; *from != '\0'; from++) {
		*to++ = *from;
		if (strncmp(from, reference, sizeof(reference) - 1) == 0)
			from += sizeof(reference) - 2;
	}
	*to = '\0';
}

static char *take_value(struct parser *parser, const char *value)
{
	char *copy = exp_arena_string(parser->walk->arena, value);

	if (copy) {
		restore_ampersands(copy);
		xml_decode(copy);
	}
	return copy;
}

/* Few names come again and again. */
static const char *take_name(struct parser *parser, const char *name)
{
	const char *copy;

	for (size_t i = 0; i < parser->name_count; i++)
		if (strcmp(parser->names[i], name) == 0)
			return parser->names[i];
	copy = exp_arena_string(parser->walk->arena, name);
	if (copy && parser->name_count < NAMES)
		parser->names[parser->name_count++] = copy;
	return copy;
}

static int take_attributes(struct parser *parser, const xmlChar **attributes,
                           struct exp_element *element)
{
	struct exp_pair *pairs;
	size_t count = 0;

	while (attributes && attributes[2 * count])
		count++;
	if (count > EXP_XML_ATTRIBUTES)
		return -EBADMSG;
	pairs = exp_arena_alloc(parser->walk->arena, count * sizeof(*pairs));
	if (!pairs)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const char *value = !attributes[2 * i + 1] ? ""
		                                           : (const char *)attributes[2 * i + 1];

		pairs[i].name = take_name(parser, (const char *)attributes[2 * i]);
		pairs[i].value = take_value(parser, value);
		if (!pairs[i].name || !pairs[i].value)
			return -ENOMEM;
	}
	element->attributes = pairs;
	element->attribute_count = count;
	return 0;
}

static void deliver(struct parser *parser, const struct exp_element *element)
{
	int rc = parser->walk->element(parser->walk->context, element);

	if (rc != 0)
		stop(parser, rc, NULL);
}

static void on_start(void *context, const xmlChar *name, const xmlChar **attributes)
{
	struct parser *parser = context;
	struct exp_xml_walk *walk = parser->walk;
	struct exp_element element = {.depth = parser->depth++};
	int rc;

	parser->pending.name = NULL;
	if (parser->rc != 0)
		return;
	if (element.depth == 0 && strcmp((const char *)name, walk->root) != 0)
		stop(parser, -EINVAL, "another kind of file");
	else if (element.depth >= EXP_XML_DEPTH)
		stop(parser, -EBADMSG, "elements nested too deeply");
	else if (++parser->elements > EXP_XML_ELEMENTS)
		stop(parser, -EBADMSG, "too many elements");
	if (parser->rc != 0)
		return;
	element.name = take_name(parser, (const char *)name);
	rc = !element.name ? -ENOMEM : take_attributes(parser, attributes, &element);
	if (rc != 0) {
		stop(parser, rc, "too many attributes");
	} else if (walk->text_element && strcmp(element.name, walk->text_element) == 0) {
		parser->pending = element;
		parser->text_len = 0;
	} else {
		deliver(parser, &element);
	}
}

static void on_text(void *context, const xmlChar *text, int len)
{
	struct parser *parser = context;

	if (!parser->pending.name || parser->rc != 0)
		return;
	if (!parser->text)
		parser->text = malloc(TEXT_MAX);
	if (!parser->text)
		stop(parser, -ENOMEM, NULL);
	else if ((size_t)len > TEXT_MAX - parser->text_len)
		stop(parser, -EBADMSG, "a text is too long");
	else {
		memcpy(parser->text + parser->text_len, text, (size_t)len);
		parser->text_len += (size_t)len;
	}
}

static void on_end(void *context, const xmlChar *name)
{
	struct parser *parser = context;

	(void)name;
	parser->depth--;
	if (!parser->pending.name || parser->rc != 0)
		return;
	parser->pending.text = take_text(parser, !parser->text ? "" : parser->text,
	                                 parser->text_len);
	if (!parser->pending.text)
		stop(parser, -ENOMEM, NULL);
	else
		deliver(parser, &parser->pending);
	parser->pending.name = NULL;
}

static void refuse(struct parser *parser)
{
	stop(parser, parser->elements > 0 ? -EBADMSG : -EINVAL,
	     "document types and entities are refused");
}

static void on_document_type(void *context, const xmlChar *name, const xmlChar *external,
                             const xmlChar *system)
{
	(void)name;
	(void)external;
	(void)system;
	refuse(context);
}

static void on_reference(void *context, const xmlChar *name)
{
	(void)name;
	refuse(context);
}

static xmlSAXHandler handler = {
	.startElement = on_start,
	.endElement = on_end,
	.characters = on_text,
	.cdataBlock = on_text,
	.internalSubset = on_document_type,
	.reference = on_reference,
};

/* Since version 2.12 handlers of errors get what they must not change. */
#if LIBXML_VERSION >= 21200
typedef const xmlError *error_pointer;
#else
typedef xmlErrorPtr error_pointer;
#endif

/* Faults are reported by us; libxml2 would also print some of them. But what it says when it gets
 * no memory is not always to be seen in its result. */
static void on_error(void *context, error_pointer error)
{
	struct parser *parser = context;

	if (error->code == XML_ERR_NO_MEMORY)
		parser->no_memory = 1;
}

static int feed(struct parser *parser, int fd)
{
	char chunk[CHUNK];
	ssize_t got;

	while ((got = read(fd, chunk, sizeof(chunk))) > 0) {
		if (xmlParseChunk(parser->context, chunk, (int)got, 0) != 0)
			break;
	}
	if (got < 0)
		return -errno;
	if (got == 0)
		xmlParseChunk(parser->context, chunk, 0, 1);
	if (parser->no_memory)
		return -ENOMEM;
	if (parser->rc == 0 && !parser->context->wellFormed)
		stop(parser, parser->elements > 0 ? -EBADMSG : -EINVAL, "not well-formed XML");
	return parser->rc;
}

static int parse(struct parser *parser, int fd)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int rc;

	/* libxml2 initializes its shared data at the first call of any thread, and two threads may
	 * do that at once. */
	pthread_once(&once, xmlInitParser);
	parser->context = xmlCreatePushParserCtxt(&handler, parser, NULL, 0, NULL);
	if (!parser->context)
		return -ENOMEM;
	xmlCtxtUseOptions(parser->context, PARSE_OPTIONS);
	rc = feed(parser, fd);
	xmlFreeParserCtxt(parser->context);
	return rc;
}

int exp_xml_read(int fd, struct exp_xml_walk *walk)
{
	struct parser parser = {.walk = walk};
	struct stat st;
	int rc;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (st.st_size == 0)
		return -ENODATA;
	if (st.st_size > FILE_MAX) {
		snprintf(walk->fault, sizeof(walk->fault), "larger than %lld MiB",
		         (long long)(FILE_MAX >> 20));
		return -EINVAL;
	}
	if (lseek(fd, 0, SEEK_SET) != 0)
		return -errno;
	xmlSetStructuredErrorFunc(&parser, on_error);
	rc = parse(&parser, fd);
	xmlSetStructuredErrorFunc(NULL, NULL);
	xmlResetLastError();
	free(parser.text);
	return rc;
}

const char *exp_element_get(const struct exp_element *element, const char *name,
                            const char *fallback)
{
	for (size_t i = 0; i < element->attribute_count; i++)
		if (strcmp(element->attributes[i].name, name) == 0)
			return element->attributes[i].value;
	return fallback;
}

int exp_number_parse(const char *text, uint64_t *out)
{
	int hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *end;
	uint64_t value;

	if (text[0] != '-' && (text[0] < '0' || text[0] > '9'))
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, hex ? 16 : 10);
	if (errno != 0 || *end != '\0')
		return -EINVAL;
	*out = value;
	return 0;
}

uint64_t exp_element_number(const struct exp_element *element, const char *name, uint64_t fallback)
{
	const char *text = exp_element_get(element, name, NULL);
	uint64_t value;

	return text && exp_number_parse(text, &value) == 0 ? value : fallback;
}
