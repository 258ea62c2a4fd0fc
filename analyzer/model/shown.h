/* shown.h: what a function is shown as: itself, the load object that hides it, or in a comparison
 * the function of the same name in another build.
 *
 * In a comparison, functions match if their objects have the same name (the programs of the
 * compared groups count as one, whatever their names), their linker names are equal, and the names
 * of their source files are equal if both are known. Functions without a name match only within one
 * build, since equal addresses of different builds mean nothing. */
#ifndef XER_ANALYZER_MODEL_SHOWN_H
#define XER_ANALYZER_MODEL_SHOWN_H

#include "experiment/experiment.h"

enum shown_how {
	SHOWN_ALL, /* every function */
	SHOWN_API, /* only those that are called from other objects */
	SHOWN_NAME /* the object, in place of its functions */
};

struct shown;

struct shown *shown_create(void);
void shown_destroy(struct shown *shown);

/* Show the objects called `name` (last component or whole path; NULL: all) as `how`. The last call
 * about an object counts. shown_reset: all are shown whole again. Both forget what was found out
 * before. */
void shown_set(struct shown *shown, const char *name, enum shown_how how);
void shown_reset(struct shown *shown);
enum shown_how shown_how(const struct shown *shown, const struct sym_object *object);

/* Whether builds are compared from now on. */
void shown_set_compare(struct shown *shown, int is_compare);

/* Treat the objects called `name` as if they were called `as`, in comparisons. */
void shown_set_alias(struct shown *shown, const char *name, const char *as);

/* The name by which an object is compared; borrowed. */
const char *shown_compared_name(const struct shown *shown, const struct sym_object *object);

/* What `function` is shown as. */
const struct sym_function *shown_function(struct shown *shown, const struct sym_function *function);

/* What is shown as `function` so far: itself first. out[count]; the caller frees. */
size_t shown_same(const struct shown *shown, const struct sym_function *function,
                  const struct sym_function ***out);

/* True if this is an object in place of its functions. */
int shown_is_object(const struct shown *shown, const struct sym_function *function);

/* True if a frame of `callee` right below one of `caller` (as they are shown) is not shown by
 * itself. */
int shown_is_folded(const struct shown *shown, const struct sym_function *caller,
                    const struct sym_function *callee);

#endif
