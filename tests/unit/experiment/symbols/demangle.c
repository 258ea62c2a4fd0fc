/* Names of C++, Rust and Fortran functions. */
#include "experiment/symbols/demangle.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

Test(demangle, shows_names_as_people_write_them)
{
	static const char *const cases[][2] = {
		{"main", "main"},
		{"_ZN2ns3FooIlE4workEl", "ns::Foo<long>::work(long)"},
		{"_Z3addii.part.0", "add(int, int) [clone .part.0]"},
		{"_Z3addii.constprop.0.isra.1", "add(int, int) [clone .constprop.0.isra.1]"},
		{"_Z3addii@plt", "add(int, int)@plt"},
		{"malloc@plt", "malloc@plt"},
		{"pthread_create@@GLIBC_2.34", "pthread_create"},
		{"foo.cold", "foo.cold"},
		{"_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"},
		{"_RNvCs1234_7mycrate3foo", "mycrate::foo"},
		{"_ZN34_$LT$r..Sq$u20$as$u20$r..Shape$GT$4area17h0123456789abcdefE",
	         "<r::Sq as r::Shape>::area"},
		{"_ZN34_$LT$r..Sq$u20$as$u20$r..Shape$GT$4area17h0123456789abcdefE.llvm.12",
	         "<r::Sq as r::Shape>::area [clone .llvm.12]"},
		{"__solver_MOD_step", "solver::step"},
		{"__solver_MOD_step.part.0", "solver::step [clone .part.0]"},
		{"___MOD_", "___MOD_"},
		{"__a_MOD_", "__a_MOD_"},
		{"_Znot_mangled", "_Znot_mangled"},
		{"", ""},
	};
	struct exp_arena arena = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_assert_str_eq(exp_demangle(&arena, cases[i][0]), cases[i][1]);
	exp_arena_fini(&arena);
}

Test(demangle, is_bounded_for_hostile_names, .timeout = 10)
{
	static char name[100000];
	struct exp_arena arena = {0};
	char *at = name;

	/* Every argument repeats all arguments before it: the whole name would have 2^30 parts. */
	at += sprintf(at, "_Z1fI1AE1gI");
	for (int i = 0; i < 30; i++)
		at += sprintf(at, "1gIS%c_S%c_E", "0123456789ABCDEFGHIJKLMNOPQRSTU"[i],
		              "0123456789ABCDEFGHIJKLMNOPQRSTU"[i]);
	cr_assert(exp_demangle(&arena, name) != NULL);
	memset(name, 'P', sizeof(name) - 1);
	memcpy(name, "_Z1f", 4);
	cr_assert_str_eq(exp_demangle(&arena, name), name);
	name[4000] = '\0';
	cr_assert(exp_demangle(&arena, name) != NULL);
	exp_arena_fini(&arena);
}
