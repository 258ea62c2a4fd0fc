/* variable.c: which variable of a load object an address is in, by its symbols for data. They are
 * read at the first question. */
#include "experiment/elf/object.h"
#include "experiment/symbols/demangle.h"
#include "experiment/symbols/symbols_internal.h"
#include "experiment/table/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int is_variable(const GElf_Sym *symbol, const char *name, GElf_Word index)
{
	return name && name[0] != '\0' && index != SHN_UNDEF && symbol->st_size != 0 &&
	       GELF_ST_TYPE(symbol->st_info) == STT_OBJECT;
}

static int compare_variables(const void *a, const void *b)
{
	const struct exp_symbol *x = a;
	const struct exp_symbol *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int read_variables(struct exp_binary *binary)
{
	int count = dwfl_module_getsymtab(binary->module);

	binary->has_variables = 1;
	if (count <= 0)
		return 0;
	binary->variables = exp_zeroed((size_t)count, sizeof(*binary->variables));
	if (!binary->variables)
		return -ENOMEM;
	for (int i = 0; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		GElf_Word index;
		const char *name = dwfl_module_getsym_info(binary->module, i, &symbol, &address,
		                                           &index, NULL, NULL);

		if (is_variable(&symbol, name, index))
			binary->variables[binary->variable_count++] = (struct exp_symbol){
				.address = address - binary->bias,
				.size = symbol.st_size,
				.name = name};
	}
	if (binary->variable_count > 1)
		qsort(binary->variables, binary->variable_count, sizeof(*binary->variables),
		      compare_variables);
	return 0;
}

const struct exp_symbol *exp_binary_variable_at(struct exp_binary *binary, uint64_t address)
{
	size_t low = 0, high;

	if (!binary->has_variables && read_variables(binary) != 0)
		return NULL;
	high = binary->variable_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (binary->variables[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	/* Of several names of one address, the first. */
	while (low > 1 && binary->variables[low - 2].address == binary->variables[low - 1].address)
		low--;
	if (address - binary->variables[low - 1].address >= binary->variables[low - 1].size)
		return NULL;
	return &binary->variables[low - 1];
}

int symbols_variable(struct symbols *symbols, const struct experiment *experiment, uint64_t address,
                     uint32_t generation, const char **name, const char **object, uint64_t *offset)
{
	const struct exp_object *mapped = experiment_object_at(experiment, address, generation);
	const struct exp_symbol *symbol = NULL;
	struct exp_sym_object *known;

	*name = NULL;
	*object = NULL;
	*offset = 0;
	if (!mapped)
		return 0;
	known = exp_sym_object_open(symbols, experiment, mapped);
	if (!known)
		return -ENOMEM;
	if (known->binary)
		symbol = exp_binary_variable_at(known->binary, address - mapped->bias);
	*object = known->shown.name;
	*offset = address - mapped->bias - (symbol ? symbol->address : 0);
	if (!symbol)
		return 0;
	*name = exp_demangle(&symbols->arena, symbol->name);
	return !*name ? -ENOMEM : 0;
}
