/* code_element.c: an element <code> of map.xml. See code_element.h. */
#include "libcollector/jit/code_element.h"

#include "libcollector/object/generation.h"
#include "libcollector/write/log.h"

int code_element_write(uint64_t address, uint64_t size, uint64_t start, uint64_t offset)
{
	char buffer[256];
	struct xml_text text = XML_TEXT(buffer);

	xml_put(&text, " <code");
	xml_put_hex(&text, "address", address);
	xml_put_number(&text, "size", size);
	xml_put_hex(&text, "start", start);
	xml_put_number(&text, "generation", generation_at(address));
	xml_put_number(&text, "time", col_ticks());
	if (offset != UINT64_MAX)
		xml_put_number(&text, "offset", offset);
	xml_put(&text, "/>\n");
	return col_xml_append(COL_MAP, &text);
}
