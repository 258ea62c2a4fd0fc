# libexperiment as its users get it: installed, found by pkg-config, linked shared and static, with the example of its manual page
# as the program.
house=$(realpath "$(dirname "$0")/../..")
. "$(dirname "$0")/lib.sh"
cp -r "$house/tests/golden/profile.er" .
prefix=$PWD/installed
# Installed with the settings of this build, whatever the environment says about other builds.
make -s -C "$house" BUILD="$BUILD" PREFIX="$prefix" CC="${CC:-gcc}" install >install.txt 2>&1
is "make install" 0 $?
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig

sed -n '\#^/\* functions.c#,/^\.fi/p' "$prefix/share/man/man3/libexperiment.3" | sed '$d; s/\\-/-/g; s/\\e/\\/g' >functions.c
contains "the manual page has an example" '^int main' functions.c
within "of few lines" 20 50 "$(wc -l <functions.c)"
# shellcheck disable=SC2046
succeeds "it compiles without a warning" ${CC:-gcc} -Wall -Wextra -Werror -std=c11 -o functions functions.c $(pkg-config --cflags --libs xer-experiment)
# shellcheck disable=SC2046
succeeds "also static" ${CC:-gcc} -o functions-static functions.c $(pkg-config --cflags xer-experiment) "$prefix/lib/libexperiment.a" \
	$(pkg-config --static --libs xer-experiment | sed 's/-lexperiment//')
LD_LIBRARY_PATH=$prefix/lib ./functions profile.er >functions.txt
is "it runs" 0 $?
./functions-static profile.er | cmp - functions.txt
is "the static one says the same" 0 $?

# The same as xer_print shows.
"$xer_print" -viewmode expert -printmode csv -metrics e.totalcpu -functions profile.er |
	awk -F, 'NR > 2 && $2 > 0 { printf "%10.6f s  %s\n", $2, $1 }' >expected.txt
head -4 functions.txt >first.txt
head -4 expected.txt | cmp -s - first.txt
is "it lists what xer_print lists" 0 $?
contains "work_a leads" '^  0\.175494 s  work_a$' first.txt
LD_LIBRARY_PATH=$prefix/lib ./functions /none 2>/dev/null
is "a missing experiment is told" 1 $?

# The exported symbols are those that the header declares, each with a version.
nm -D --defined-only "$prefix/lib/libexperiment.so" | awk '$2 == "T" { print $3 }' | sort >exported.txt
${CC:-gcc} -E -P "$prefix/include/xer/experiment.h" | tr '\n' ' ' | grep -oE '(experiment|symbols)_[a-z_]+\(' | tr -d '(' | sort -u |
	sed 's/$/@@XER_EXPERIMENT_0.1/' >declared.txt
succeeds "exported is what is declared" diff declared.txt exported.txt
printf '#include <xer/experiment.h>\nint main(void) { return 0; }\n' >alone.c
# shellcheck disable=SC2046
succeeds "the header stands alone" ${CC:-gcc} -Wall -Wextra -pedantic -Werror -std=c11 -fsyntax-only $(pkg-config --cflags xer-experiment) alone.c
if have g++; then
	printf '#include <xer/experiment.h>\nint main() { symbols_destroy(symbols_create()); return 0; }\n' >alone.cc
	# shellcheck disable=SC2046
	succeeds "it serves C++ too" g++ -Wall -Wextra -pedantic -Werror -std=c++11 -o alone alone.cc $(pkg-config --cflags --libs xer-experiment)
	LD_LIBRARY_PATH=$prefix/lib ./alone
	is "whose programs find the functions" 0 $?
else
	skip "it serves C++ too" "no g++"
fi
is "the name of the shared library has its version" libexperiment.so.0 "$(objdump -p "$prefix/lib/libexperiment.so" | awk '$1 == "SONAME" { print $2 }')"
make -s -C "$house" BUILD="$BUILD" PREFIX="$prefix" uninstall >uninstall.txt 2>&1
is "uninstall leaves no file" "" "$(find "$prefix" ! -type d)"
