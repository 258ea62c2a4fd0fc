# Report pages (the command `report`): the file is whole or not there; a browser shows the same figures as the tables, narrows them
# as filters do, says nothing, asks for nothing, and shows hostile names as text.
golden=$(realpath "$(dirname "$0")/../golden")
browser=$(realpath "$(dirname "$0")/../browser")
. "$(dirname "$0")/lib.sh"

# page EXPERIMENT: write its report page beside it
page() { limited 60 "$xer_print" -report "${1%.er}.html" "$1" >"${1%.er}.said" 2>&1; }

# ---- the file
cp -r "$golden"/*.er .
rm -rf odd.er
for name in *.er; do
	page "$name"
	status=$?
	[ "$name" = damaged.er ] || is "${name%.er}: a page is written" "0 " "$status $(head -c 300 "${name%.er}.said")"
done
is "a damaged experiment has a page too, and exit status 1" 1 "$("$xer_print" -report again.html damaged.er >/dev/null 2>&1; echo $?)"
is "a page of a small experiment is small" yes "$([ "$(wc -c <profile.html)" -lt 250000 ] && echo yes || wc -c <profile.html)"
is "the viewer has at most 120 KB" yes "$([ "$(sed '/^<script type="application/,$d' profile.html | wc -c)" -le 120000 ] && echo yes || echo no)"
contains "the policy allows the page's own script and style alone" \
	"content=\"default-src 'none'; script-src 'sha256-[A-Za-z0-9+/=]{44}'; style-src 'sha256-[A-Za-z0-9+/=]{44}'; base-uri 'none'; form-action 'none'\"" profile.html
absent "no address of a network is in it" -oE '(src|href)="?(https?:)?//' profile.html
"$xer_print" -report - profile.er >stdout.html 2>stdout.err
is "- is standard output" "0 0" "$? $(cmp stdout.html profile.html >/dev/null 2>&1; echo $?)"
"$xer_print" -report missing/page.html profile.er >command.out 2>&1
is "a file that cannot be made is told of" "1 xer_print: report: missing/page.html: No such file or directory" "$? $(cat command.out)"
if [ -e /dev/full ]; then
	"$xer_print" -report /dev/full profile.er >command.out 2>&1
	is "a full disk is told of" "1 xer_print: report: /dev/full: cannot be written" "$? $(cat command.out)"
fi
"$xer_print" -time 0-0.1 -report part.html profile.er >command.out 2>&1
is "filters of the command line choose what is in it" "0 yes" "$? $([ "$(wc -c <part.html)" -lt "$(wc -c <profile.html)" ] && echo yes)"

# ---- hostile names: of functions, threads, files, arguments, notes
cat >hostile.c <<'END'
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>
#include <pthread.h>
#include <fcntl.h>
#include <time.h>
void *volatile kept;
static void burn(void) { for (clock_t end = clock() + CLOCKS_PER_SEC / 20; clock() < end;) kept = kept; }
__attribute__((noinline)) void name_a(void) { kept = malloc(100); burn(); }
__attribute__((noinline)) void name_b(void) { kept = malloc(200); burn(); }
__attribute__((noinline)) void name_c(void) { kept = malloc(300); burn(); }
__attribute__((noinline)) void name_d(void) { kept = malloc(400); burn(); }
int main(int argc, char **argv)
{
	pthread_setname_np(pthread_self(), "</script><b>\"'");
	name_a(); name_b(); name_c(); name_d();
	close(open("</script><script>alert(4)</script>", O_CREAT | O_WRONLY, 0600));
	return argc == 0 && argv != NULL;
}
END
long=$(printf 'x%.0s' $(seq 10000))
cc -O1 -g -fno-optimize-sibling-calls -c hostile.c && objcopy --redefine-sym name_a='</script><script>alert(1)</script>' \
	--redefine-sym name_b="$(printf 'r\342\200\256evil"&'"'"'<img src=x onerror=alert(2)>')" --redefine-sym name_c="$(printf 'bad\377\300utf')" \
	--redefine-sym name_d="$long" hostile.o && cc -o hostile hostile.o -lpthread
strip -g hostile
"$xcollect" -p hi -H on -i on -C '</script><img src=x onerror=alert(3)>' -o hostile.er ./hostile '<!--<script>' >hostile.out 2>&1
page hostile.er
is "names of any kind are written" "0 " "$? $(cat hostile.said)"
is "no name ends a script, or begins one" "$(grep -c '</script>' profile.html) 0" "$(grep -c '</script>' hostile.html | awk -v all="$(grep -c '<script type' hostile.html)" -v other="$(grep -c '<script type' profile.html)" '{ print $1 - all + other }') $(grep -c 'alert([1-4])' hostile.html)"

# ---- a recording whose halves differ
"$xcollect" -H on -s on -i on -p hi -S 0.02 -o halves.er "$programs/halves" early.txt late.txt >halves.out 2>&1
page halves.er
is "a recording of two halves has a page" "0 " "$? $(cat halves.said)"

# ---- one whose rows have many sizes
"$xcollect" -H on -i on -p off -o many.er "$programs/many_sizes" many.txt >many.out 2>&1
page many.er
is "a recording of many sizes has a page" "0 " "$? $(cat many.said)"

# ---- a huge function
{
	echo 'volatile unsigned long x; __attribute__((noinline)) void huge(void) {'
	seq -f 'x = x * %.0f + 1;' 4000
	echo '} int main(void) { for (int i = 0; i < 10000; i++) huge(); return 0; }'
} >huge.c
cc -O1 -g -o huge huge.c
"$xcollect" -p hi -S off -o huge.er ./huge >huge.out 2>&1
page huge.er
is "a function of 4,000 lines has a small page" "0 yes" "$? $([ "$(wc -c <huge.html)" -lt 190000 ] && echo yes || wc -c <huge.html)"

# ---- what is compared with
"$xer_print" -functions -report difference.html -functions -base heap.er profile.er >both.out 2>&1
is "-base is told to the page, and to nothing else" "0 yes" "$? $([ "$(head -$(($(wc -l <both.out) / 2)) both.out)" = "$(tail -$(($(wc -l <both.out) / 2)) both.out)" ] && echo yes || echo no)"
"$xer_print" -report difference2.html -base missing.er profile.er >command.out 2>&1
is "a base that is not there is told of, and there is no half of a page" "1 no" "$? $([ -e difference2.html ] && echo yes || echo no)"

# ---- in a browser
chromium=$(command -v chromium || command -v chromium-browser)
tools=$BUILD/npm
browser_claims=$(awk '$1 == "browser" { print $2 }' "$browser/claims")
if [ -z "$chromium" ] || [ ! -d "$tools/node_modules/puppeteer-core" ]; then
	why="no chromium, or no puppeteer-core of npm"
	# In continuous integration, pages are looked at.
	if [ "${CI:-}" = true ]; then not_ok "a browser shows report pages: $why"; fi
	skip "a browser shows report pages" "$why" "$browser_claims"
	exit 0
fi
cp "$browser"/*.mjs "$tools"
limited 240 node "$tools/report.mjs" "$chromium" "$xer_print" [a-z]*.er 2>browser.err
is "the browser ends" "0 " "$? $(head -c 300 browser.err)"
