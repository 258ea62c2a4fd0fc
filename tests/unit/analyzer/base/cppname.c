/* Names of C++ functions that are folded to fit. */
#include "analyzer/base/cppname.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void check(const char *name, size_t size, const char *wanted)
{
	char text[512];

	snprintf(text, sizeof(text), "%s", name);
	cppname_fold(text, size);
	cr_expect_str_eq(text, wanted, "%s: %s", name, text);
}

Test(cppname, what_fits_stays)
{
	check("f(int)", 6, "f(int)");
	check("std::vector<int>::at(long)", 26, "std::vector<int>::at(long)");
	check("", 0, "");
}

Test(cppname, template_arguments_go_first_the_longest_before_others)
{
	check("std::vector<int, std::allocator<int> >::push_back(int&&)", 40,
	      "std::vector<...>::push_back(int&&)");
	check("a<long_argument>::b<short_>::c(int)", 30, "a<...>::b<short_>::c(int)");
	check("a<long_argument>::b<short_>::c(int)", 24, "a<...>::b<...>::c(int)");
}

Test(cppname, then_parameters)
{
	check("a<b<c> >::d(std::map<int, int>, long)", 12, "a<...>::d(...)");
	check("f(void (*)(int), char const*) const", 12, "f(...) const");
}

Test(cppname, operators_have_no_arguments_in_their_names)
{
	check("std::ostream& operator<< <char>(std::ostream&, char const*)", 10,
	      "std::ostream& operator<< <char>(...)");
	check("a::operator<(a const&) const", 10, "a::operator<(...) const");
	check("a<longer>::operator->() const", 10, "a<...>::operator->() const");
	check("a<longer>::operator()(int, long) const", 10, "a<...>::operator()(...) const");
	check("cooperator<longer>::f()", 10, "cooperator<...>::f()");
}

Test(cppname, names_in_brackets_stay)
{
	check("<Total>", 2, "<Total>");
	check("(anonymous namespace)::f(long long)", 4, "(anonymous namespace)::f(...)");
	check("main::{lambda(int, long)#1}::operator()(int, long) const", 4,
	      "main::{lambda(int, long)#1}::operator()(...) const");
	check("work(int)::<lambda(int, int)>", 4, "work(int)::<lambda(int, int)>");
}

Test(cppname, brackets_that_do_not_match_are_left)
{
	check("f<int", 2, "f<int");
	check("f>>>>>>", 2, "f>>>>>>");
	check("a->b)", 1, "a->b)");
	check("f((((((((", 1, "f((((((((");
}
