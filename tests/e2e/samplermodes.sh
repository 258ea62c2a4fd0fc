# xcollect --sampler in other ways: copied stacks, a process that is running already, and systems that refuse perf_event_open.
. "$(dirname "$0")/lib.sh"

# count NAME EXPERIMENT: a count of log.xml, once the helper has ended
count()
{
	local i
	for ((i = 0; i < 100; i++)); do
		grep -q 'name="sampler_samples"' "$2.er/log.xml" && break
		sleep 0.1
	done
	sed -n "s/.*<count name=\"$1\" value=\"\([0-9]*\)\".*/\1/p" "$2.er/log.xml"
}
# share NAME FUNCTION COLUMN: a share in per cent
share() { value "$@" | tr -d %; }

record try --sampler=1m -p off -A off -- true
if grep -q 'nothing is sampled' try.err; then
	skip "--sampler" "this system lets nobody sample threads (perf_event_open)"
else
	# code without frame pointers: whole stacks of the program, and of a thread of its child
	TIMEFORMAT='%U'
	samples_due=$({ time "$programs/no_frames" 150 >alone.out; } 2>&1 | awk '{ print int($1 * 1000) }')
	record stack --sampler=1m,stack -p off -A off -- "$programs/no_frames" 150
	is "stacks: it ends well" 0 $?
	samples=$(count sampler_samples stack)
	within "stacks: there are samples" 100 1000000 "$samples"
	within "stacks: of one frame" 0 $((samples / 20)) "$(count sampler_one_frame stack)"
	within "stacks: not whole" 0 $((samples / 20)) "$(count sampler_cut_stacks stack)"
	report stack -functions
	within "stacks: inclusive share of outer" 95 100 "$(share stack outer 4)"
	within "stacks: inclusive share of main" 95 100 "$(share stack main 4)"
	sampled "stacks: share of hot_a" 49 "$(share stack hot_a 2)" "$samples_due"
	sampled "stacks: share of hot_b" 49 "$(share stack hot_b 2)" "$samples_due"
	for file in stack.er/sampler/cpu*.fxt; do
		succeeds "stacks: $(basename "$file") is a whole FXT file" "$xer_print" -fxt_dump "$file"
	done
	record child --sampler=1m,stack:4 -p off -A off -F on -- bash -c "'$programs/no_frames' thread 100; :"
	count sampler_samples child >/dev/null
	report child -functions
	within "stacks: of a thread of a descendant" 85 100 "$(share child begin_thread 4)"

	# more frames than a sample can hold: the outermost frame that is there must not look like the start of the thread
	cat >depth.c <<-'C'
	#include <time.h>
	static volatile long sink;
	static __attribute__((noinline)) void hot(void)
	{
		for (long i = 0; clock() < CLOCKS_PER_SEC / 4; i++)
			sink += i;
	}
	static __attribute__((noinline)) void recursive(int depth)
	{
		if (depth == 0)
			hot();
		else
			recursive(depth - 1);
		__asm__ volatile("");
	}
	int main(int argc, char **argv) { (void)argv; recursive(argc > 1 ? 100 : 10); return 0; }
	C
	${CC:-gcc} -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -o depth depth.c
	for option in 1m 1m,stack:16; do
		record deep --sampler=$option -p off -A off -- ./depth deep
		samples=$(count sampler_samples deep)
		within "$option, 100 frames: cut, %" 90 100 $((100 * $(count sampler_deep_stacks deep) / samples))
		report deep -functions
		within "$option, 100 frames: called by what is not known, %" 90 100 "$(share deep '<Truncated-stack>' 4)"
		within "$option, 100 frames: truncated stacks, %" 90 100 "$(sed -n 's/.*truncated stacks (\([0-9.]*\) %).*/\1/p' deep.txt | head -1)"
		report deep -header all
		contains "$option, 100 frames: the header tells" 'have more than 64 frames' deep.txt
		record shallow --sampler=$option -p off -A off -- ./depth
		within "$option, 10 frames: cut there" 0 0 "$(count sampler_deep_stacks shallow)"
		rm -rf deep.er shallow.er
	done

	# a frame that is larger than what is copied: the reports say how much would be enough
	sed 's/{ (void)argv;/{ volatile char room[12000]; room[0] = 0; (void)argv;/' depth.c >wide.c
	${CC:-gcc} -O1 -g -fno-optimize-sibling-calls -o wide wide.c
	for size in 8 16; do
		record wide --sampler=1m,stack:$size -p off -A off -- ./wide
		count sampler_samples wide >/dev/null
		report wide -header all
		is "a frame of 12 KB, $size copied: the header says how much would be enough" $((size == 8)) "$(grep -c '  where they are longer than the 8 KB .* --sampler=1m,stack:16 finds more$' wide.txt)"
		is "a frame of 12 KB, $size copied: and all tables do" $((size == 8)) "$(grep -cE '^# sampler: [0-9.]+ % of the stacks are cut: where .*stack:16 finds more$' wide.txt)"
		rm -rf wide.er
	done

	# known shares, by the kernel's samples and by the clock samples taken at the same time
	record shares --sampler=1m -p hi -A off -- "$programs/burn50" 1.5
	count sampler_samples shares >/dev/null
	report shares -functions
	cp -r shares.er clock.er
	rm -r clock.er/sampler
	report clock -functions
	for known in 'work_a 50' 'work_b 30' 'work_c 15' 'work_d 5'; do
		# shellcheck disable=SC2086
		set -- $known
		sampled "share of $1" "$2" "$(share shares "$1" 2)" 1500
		sampled "share of $1 by the clock, which is read without the sampler" "$2" "$(share clock "$1" 2)" "$(due 1.5)"
	done

	# walked by frame pointers, the same program has no whole stacks, and the report says so
	record frames --sampler=1m -p off -A off -- "$programs/no_frames" 100
	count sampler_samples frames >/dev/null
	report frames -header all
	contains "frame pointers missing: the remedy is named" 'record with --sampler=1m,stack' frames.txt
	report frames -functions
	contains "and with every report" '^# sampler: [0-9.]+ % of the stacks have one frame only.*--sampler=1m,stack' frames.txt
	report frames -header all
	contains "what a sample cost is told" 'a sample took about [0-9.]+ us from the program' frames.txt
	within "a sample's cost, ns" 200 400000 "$(count sampler_cost_ns frames)"

	# a running process with threads: all of them, for as long as was requested
	"$programs/no_frames" 4000 >/dev/null &
	target=$!
	sleep 0.2
	record attach --sampler=1m,stack -p off -A off -t 1 -P $target --
	status=$?
	if grep -q 'Attached to process' attach.err; then
		is "-P: it ends well" 0 $status
		kill -0 $target 2>/dev/null && ok "-P: the process goes on" || not_ok "-P: the process goes on"
		within "-P: samples" 20 2000 "$(count sampler_samples attach)"
		report attach -functions
		within "-P: inclusive share of outer" 95 100 "$(share attach outer 4)"
	else
		skip "-P" "this system lets nobody attach: $(tail -1 attach.err)"
	fi
	{ kill $target; wait $target; } 2>/dev/null

	# xcollect is killed: the recording goes on to the end of the process, and so do its samples
	"$programs/no_frames" 300 >/dev/null &
	target=$!
	sleep 0.1
	{ "$xcollect" -o orphan.er --sampler=1m -p off -A off -P $target >/dev/null 2>orphan.err & } 2>/dev/null
	recorder=$!
	for ((i = 0; i < 100; i++)); do
		[ -s orphan.er/sampler/cpu0.fxt ] && break
		sleep 0.05
	done
	if [ -s orphan.er/sampler/cpu0.fxt ]; then
		{ kill -9 $recorder; wait $recorder; } 2>/dev/null
		grep -q 'name="sampler_samples"' orphan.er/log.xml && not_ok "-P, killed: nothing is written to a log in use" || ok "-P, killed: nothing is written to a log in use"
		wait $target
		is "-P, killed: the process ends well" 0 $?
		[ -n "$(count sampler_samples orphan)" ] && ok "-P, killed: the counts come at its end" || not_ok "-P, killed: the counts come at its end"
		report orphan -header all
		is "-P, killed: the log is whole" said "$(said_in orphan.txt)$(cat orphan.txt.err)"
	fi
	{ kill $target; wait $target; } 2>/dev/null

	# whole CPUs: threads and processes shorter than the period have their part of the samples, and other programs have none
	cat >short.c <<-'C'
	#include <pthread.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <sys/resource.h>
	#include <sys/wait.h>
	#include <unistd.h>
	static volatile long sink;
	static long turns;
	__attribute__((noinline)) static void *work(void *unused)
	{
		for (long i = 0; i < turns; i++)
			sink += i;
		return unused;
	}
	static double used(int who)
	{
		struct rusage usage;
		getrusage(who, &usage);
		return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
	}
	int main(int argc, char **argv)
	{
		double unit;
		turns = 100000000;
		unit = used(RUSAGE_SELF);
		work(NULL);
		unit = used(RUSAGE_SELF) - unit;
		turns = (long)(turns * 0.001 / unit); /* 1 ms */
		for (int i = 0; i < 400; i++) {
			if (argc > 1) {
				pthread_t thread;
				pthread_create(&thread, NULL, work, NULL);
				pthread_join(thread, NULL);
			} else {
				if (fork() == 0)
					_exit(work(NULL) != NULL);
				wait(NULL);
			}
		}
		printf("%.3f of CPU time\n", used(RUSAGE_SELF) + used(RUSAGE_CHILDREN));
		return 0;
	}
	C
	${CC:-gcc} -O1 -g -fno-omit-frame-pointer -pthread -o short short.c
	record try_cpus --sampler=2m,cpu -p off -A off -- true
	if grep -q 'not whole CPUs' try_cpus.err; then
		skip "whole CPUs" "this system lets us sample our own threads only" 14
	else
		"$programs/burn50" 60 >/dev/null &
		other=$!
		for kind in processes threads; do
			# shellcheck disable=SC2046
			record $kind --sampler=2m,cpu -p off -A off -- ./short $([ $kind = processes ] || echo threads)
			is "whole CPUs, $kind: it ends well" 0 $?
			samples=$(count sampler_samples $kind)
			within "whole CPUs, $kind: its CPU time is known" \
				"$(awk '{ print $1 * 0.9 }' $kind.out)" "$(awk '{ print $1 * 1.2 }' $kind.out)" \
				"$(awk -v ns="$(count sampler_cpu_ns $kind)" 'BEGIN { print ns * 1e-9 }')"
			# There are 200 and more, of which chance leaves out or adds a quarter.
			within "whole CPUs, $kind: all of that has samples" 0.7 1.3 \
				"$(awk -v ns="$(count sampler_cpu_ns $kind)" -v samples="$samples" 'BEGIN { print samples * 2e6 / ns }')"
			report $kind -functions
			within "whole CPUs, $kind: in its function, %" 30 100 "$(share $kind work 2)"
			is "whole CPUs, $kind: nothing of another program" 0 "$(grep -c work_a $kind.txt)"
		done
		report threads -header all
		contains "whole CPUs: the header says it" 'whole CPUs = on' threads.txt
		is "whole CPUs: no thread is too short" 0 "$(grep -c 'threads shorter than the period' threads.txt)"
		{ kill $other; wait $other; } 2>/dev/null

		"$programs/no_frames" 4000 >/dev/null &
		target=$!
		sleep 0.2
		if record cpuattach --sampler=1m,stack,cpu -p off -A off -t 1 -P $target -- && grep -q 'Attached to process' cpuattach.err; then
			within "whole CPUs, -P: samples" 20 2000 "$(count sampler_samples cpuattach)"
			report cpuattach -functions
			within "whole CPUs, -P: inclusive share of outer" 95 100 "$(share cpuattach outer 4)"
		else
			skip "whole CPUs, -P" "this system lets nobody attach: $(tail -1 cpuattach.err)" 2
		fi
		{ kill $target; wait $target; } 2>/dev/null
	fi
	if [ "$(id -u)" = 0 ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 0 ] &&
		setpriv --bounding-set -perfmon,-sys_admin true 2>/dev/null; then
		limited 60 setpriv --bounding-set -perfmon,-sys_admin "$xcollect" -o forbidden.er --sampler=1m,cpu -p off -A off "$programs/no_frames" 100 >/dev/null 2>forbidden.err
		is "whole CPUs, not permitted: it ends well" 0 $?
		contains "whole CPUs, not permitted: what is done, and what would help" 'threads are sampled and not whole CPUs' forbidden.err
		within "whole CPUs, not permitted: threads have samples" 20 2000 "$(count sampler_samples forbidden)"
	else
		skip "whole CPUs, not permitted" "everybody may sample them here, or setpriv cannot forbid it" 3
	fi
fi

# perf_event_open is refused: a message names the remedy, and timers take the samples into the same files
"$programs/refuse" perf 1 true
if [ $? != 0 ]; then
	skip "refusal" "no seccomp filters here"
	exit 0
fi
for error in 1 13; do
	limited 60 "$programs/refuse" perf $error "$xcollect" -o refused$error.er --sampler=1m -p off -A off "$programs/no_frames" thread 150 >/dev/null 2>refused.err
	is "refused ($error): it ends well" 0 $?
	contains "refused ($error): the remedy" "$([ $error = 1 ] && echo 'seccomp profile that passes perf_event_open' || echo 'sysctl kernel.perf_event_paranoid=2')" refused.err
	contains "refused ($error): what is done" 'timers of 1 ms take the samples' refused.err
done
report refused1 -functions
within "refused: inclusive share of outer" 95 100 "$(share refused1 outer 4)"
for ((i = 0; i < 100; i++)); do
	ls refused1.er/sampler/cpu*.fxt >/dev/null 2>&1 && flock -n -s refused1.er/sampler true && break
	sleep 0.1
done
for file in refused1.er/sampler/cpu*.fxt; do
	succeeds "refused: $(basename "$file") is a whole FXT file" "$xer_print" -fxt_dump "$file"
	"$xer_print" -fxt_dump "$file"
done >dumps.txt
grep '^ok\|^not ok' dumps.txt
samples=$(grep -c 'large blob with metadata' dumps.txt)
total=$(value refused1 '<Total>' 1)
within "refused: a blob for each millisecond" "$(awk -v t="$total" 'BEGIN { print t * 1000 * 0.97 }')" "$(awk -v t="$total" 'BEGIN { print t * 1000 * 1.03 }')" "$samples"
report refused1 -header all
contains "refused: the header tells" 'the system refused it, timers took the samples' refused1.txt

# refused, and the files cannot be written either: a message says so
limited 60 "$programs/refuse" perf 1 "$xcollect" -o unwritten.er --sampler=1m -p off -A off sh -c 'rmdir unwritten.er/sampler; : >unwritten.er/sampler' >/dev/null 2>&1
for ((i = 0; i < 300; i++)); do
	grep -q 'lost_sampler_files' unwritten.er/log.xml && break
	sleep 0.1
done
contains "refused: files that cannot be written are told of" 'kind="loss" stream="sampler" reason="[^"]* failed with exit status 1"' unwritten.er/log.xml
