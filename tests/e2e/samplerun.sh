# xcollect --sampler: how many samples of which processes, complete files, no effect on the program, and the remedy where it is
# refused.
. "$(dirname "$0")/lib.sh"

between() { [ "$2" -ge "$3" ] && [ "$2" -le "$4" ] && ok "$1" || not_ok "$1: $2 is not in $3..$4"; }
# count NAME EXPERIMENT: a count of log.xml, once the helper has ended
count()
{
	local i
	for ((i = 0; i < 100; i++)); do
		grep -q 'name="sampler_samples"' "$2/log.xml" && break
		sleep 0.1
	done
	sed -n "s/.*<count name=\"$1\" value=\"\([0-9]*\)\".*/\1/p" "$2/log.xml"
}
# pids EXPERIMENT: which processes have samples, and how many
pids()
{
	cat "$1"/sampler/cpu*.fxt >/dev/null || return
	for file in "$1"/sampler/cpu*.fxt; do "$xer_print" -fxt_dump "$file"; done |
		sed -n 's/.*large blob with metadata.* thread \([0-9]*\)\/.*/\1/p' | sort | uniq -c
}
xer_print=$BUILD/bin/xer_print
spin='t=$1; end=$((${EPOCHREALTIME/./} + t)); while ((${EPOCHREALTIME/./} < end)); do :; done'

"$xcollect" --sampler=1m -o try.er -p off bash -c "$spin" x 1000 >try.out 2>try.err
if grep -q 'nothing is sampled' try.err; then
	grep -q 'sysctl kernel.perf_event_paranoid' try.err && ok "the remedy is told" || not_ok "the remedy is told: $(cat try.err)"
	skip "--sampler" "this system lets nobody sample threads (perf_event_open)"
	exit 0
fi

# the program and two descendants, one of which goes on after the program has ended
"$xcollect" --sampler=1m -o tree.er -p off bash -c "bash -c '$spin' x 200000; bash -c '$spin' x 600000 & $spin" x 300000 >tree.out 2>tree.err
is "it ends well" 0 $?
samples=$(count sampler_samples tree.er)
cpu_us=$(($(count sampler_cpu_ns tree.er) / 1000))
[ "$cpu_us" -gt 100000 ] && ok "time of all was sampled" || not_ok "time of all was sampled: $cpu_us us"
all=$((samples + $(count sampler_bad_stacks tree.er) + $(count lost_sampler tree.er)))
between "samples for the time" $((all * 1000)) $((cpu_us * 90 / 100)) $((cpu_us * 110 / 100))
pids tree.er >pids.txt
between "processes" "$(awk '$1 > 5' pids.txt | wc -l)" 3 6
is "every sample is in a file" "$samples" "$(awk '{ n += $1 } END { print n }' pids.txt)"
for file in tree.er/sampler/cpu*.fxt; do
	"$xer_print" -fxt_dump "$file" >/dev/null 2>dump.err
	is "$(basename "$file") is a whole FXT file" 0 $?
done
"$xer_print" -header all tree.er 2>/dev/null >header.txt
grep -Eq "^Sampler    period 1000 us, $samples samples( \\([0-9]+ of xer_archive, left out of tables\\))? of" header.txt && ok "the header tells" || not_ok "the header tells: $(cat header.txt)"

# standard descriptors are closed: the helper's files must not get their numbers
closed() { "$xcollect" --sampler=1m -o closed.er -p off -A off bash -c "$spin" x 50000; }
closed <&- >&- 2>&-
is "standard descriptors closed: it ends well" 0 $?
is "and is sampled" 1 "$(($(count sampler_samples closed.er) > 0))"

# the first process of a container cannot be recorded so: the helper would become its child
if unshare -pf --mount-proc true 2>/dev/null; then
	unshare -pf --mount-proc "$xcollect" --sampler=1m -o init.er -p off true >init.out 2>init.err
	is "refused as the first process" 126 $?
	contains "with the remedy" 'docker run --init$' init.err
	is "and nothing is left" "" "$(ls -d init.er 2>/dev/null)"
else
	skip "the first process of a container" "no namespaces here"
fi

# a process that -F leaves out has no samples, as it has no clock samples
"$xcollect" --sampler=1m -o paused.er -p on -A off -t 0.8-3600 bash -c "$spin" x 1300000 >/dev/null 2>&1
count sampler_samples paused.er >/dev/null
"$xer_print" -functions paused.er >paused.txt 2>&1
# The kernel counts a little more CPU time than the clock.
covered=$(sed -n 's/.*CPU time covered \([0-9]*\)\..*more while paused.*/\1/p' paused.txt | head -1)
between "of time before the recording was to begin there are no samples: covered, %" "${covered:-0}" 50 180

# short programs one after the other: the time that the loader takes counts too
echo '[ "$1" = 0 ] || exec sh "$0" $(($1 - 1))' >again.sh
"$xcollect" --sampler=100u -o short.er -p off -A off sh again.sh 40 >/dev/null 2>&1
samples=$(count sampler_samples short.er)
counted=$("$xer_print" -metrics e.samples:name -functions short.er 2>/dev/null | awk '$NF == "<Total>" { print $1 }')
is "the founder has the counts, and the others say so" "1 0" \
	"$("$xer_print" -header all short.er 2>/dev/null | grep -c '^Sampler    period 100 us, ') $("$xer_print" -header all short.er 2>/dev/null | grep -c 'there are no counts')"
between "of $samples samples of short programs, count" "${counted:-0}" $((samples * 80 / 100)) "$samples"

# the period is that of each thread, and not of each CPU: 400 threads of 0.5 ms each have no sample in 10 ms of each, and the header says so
"$xcollect" --sampler=10m -o lives.er -p off -A off "$programs/short_lives" 400 500 >lives.out 2>&1
count sampler_samples lives.er >/dev/null
is "threads shorter than the period have no samples" "" "$("$xer_print" -metrics e.samples:name -functions lives.er 2>/dev/null | awk '$NF == "live" { print $1 }')"
is "and the header says so, and what weighs their time" 1 "$("$xer_print" -header all lives.er 2>/dev/null | grep -c '^ *threads shorter than the period have no samples: clock profiling (-p) weighs their time too$')"

# a file that has no room ends, with a message
"$xcollect" --sampler=100u,0.01 -o full.er -p off bash -c "$spin" x 400000 >/dev/null 2>&1
[ "$(count lost_sampler_room full.er)" -gt 100 ] && ok "samples without room are counted" || not_ok "samples without room are counted"
large=$(find full.er/sampler -name 'cpu*.fxt' -size +10485c | wc -l)
is "files do not grow beyond their size" 0 "$large"
"$xer_print" -header all full.er 2>/dev/null | grep -q 'events lost: sampler_room' && ok "the header warns" || not_ok "the header warns"

# the program sees nothing: no child, signal, descriptor or CPU time of children; and no helper keeps its output open
cat >see.c <<'C'
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
int main(void)
{
	struct rusage children;
	sigset_t pending;

	sigpending(&pending);
	getrusage(RUSAGE_CHILDREN, &children);
	printf("%d %d %d %ld\n", waitpid(-1, NULL, WNOHANG | __WALL) < 0 && errno == ECHILD, sigismember(&pending, SIGCHLD),
	       signal(SIGCHLD, SIG_DFL) == SIG_DFL, children.ru_maxrss);
	return 7;
}
C
${CC:-gcc} -o see see.c
seen=$("$xcollect" --sampler=1m -o see.er -A off ./see 2>/dev/null)
is "the program sees nothing" "1 0 1 0" "$seen"
"$xcollect" --sampler=1m -o code.er -A off ./see >/dev/null 2>&1
is "its exit status" 7 $?

# a program that cannot be executed leaves no experiment
"$xcollect" --sampler=1m -o gone.er ./no-such-program >/dev/null 2>&1
is "no such program" 127 $?
is "no experiment" 0 "$(find . -maxdepth 1 -name gone.er | wc -l)"

# refused: a message names the remedy, and the recording goes on
if [ "$(id -u)" = 0 ] && have setpriv && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ]; then
	for_everyone
	cp see "$everyones/see"
	(cd "$everyones" && exec setpriv --reuid 65534 --regid 65534 --clear-groups bin/xcollect --sampler=1m -o user.er -A off ./see) >/dev/null 2>user.err
	is "as an ordinary user" 7 $?
	grep -q 'no samples in system calls\|nothing is sampled' user.err && ok "what is forbidden is told" || not_ok "what is forbidden is told: $(cat user.err)"
else
	skip "sampling by an ordinary user" "not root, no setpriv, or everything is allowed" 2
fi

# read as a profile: hot_a and hot_b have half each, on all threads; clock samples of the same time do not count a second time
"$xcollect" --sampler=1m -o hot.er -p on -A off "$BUILD/tests/programs/self_sampler" 100000 200 >/dev/null 2>&1
samples=$(count sampler_samples hot.er)
"$xer_print" -functions hot.er >hot.txt 2>hot.err
is "no complaints" "" "$(cat hot.err)"
total=$(awk '$NF == "<Total>" { print int($1 * 1000 + 0.5) }' hot.txt)
between "a period a sample" "$total" $((samples * 98 / 100)) "$samples"
for function in hot_a hot_b; do
	share=$(awk -v name=$function '$NF == name { print int($4) }' hot.txt)
	between "inclusive share of $function" "${share:-0}" 44 54
done
threads=$("$xer_print" -threads hot.er 2>/dev/null | grep -c 'Thread [2-9]')
between "threads" "$threads" 5 8
cpus=$("$xer_print" -cpus hot.er 2>/dev/null | awk '/ CPU [0-9]+$/ { sum += $1 } END { print int(sum * 1000 + 0.5) }')
between "all time is on some CPU" "$cpus" $((total - 5)) $((total + 5))
half=$("$xer_print" -filters 'LEAF IN (FNAME("^hot_a$"))' -functions hot.er 2>/dev/null | awk '$NF == "<Total>" { print int($1 * 1000 + 0.5) }')
between "a filter" "${half:-0}" $((total * 42 / 100)) $((total * 54 / 100))

# code without frame pointers: samples reach as far as those of -p
if have openssl; then
	"$xcollect" --sampler=1m -o md.er -p off -A off openssl speed -seconds 1 -bytes 1024 sha256 md5 >/dev/null 2>&1
	cpu_ms=$(($(count sampler_cpu_ns md.er) / 1000000))
	between "openssl: samples" "$(count sampler_samples md.er)" $((cpu_ms * 90 / 100)) $((cpu_ms * 110 / 100))
else
	skip "openssl" "it is not installed"
fi

# a damaged file is reported, and the rest is read
for file in hot.er/sampler/cpu*.fxt; do
	truncate -s -4 "$file"
	printf '\377' | dd of="$file" bs=1 seek=$(($(stat -c %s "$file") / 2 / 8 * 8)) conv=notrunc 2>/dev/null
done
limited 20 "$xer_print" -functions hot.er >damaged.txt 2>damaged.err
[ $? -lt 124 ] && grep -q 'sampler/cpu.*fxt: offset' damaged.err && ok "damage is told" || not_ok "damage is told: $(cat damaged.err)"
grep -q 'hot_a' damaged.txt && ok "what lies before is read" || not_ok "what lies before is read: $(cat damaged.txt)"
