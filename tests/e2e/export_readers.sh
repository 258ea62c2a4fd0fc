# Exports are opened by the programs that they are for, which show the totals and the events that the tables have: the Firefox
# Profiler, speedscope and Chrome's trace engine (of npm), flamegraph.pl. export.sh has pprof, callgrind and Graphviz.
golden=$(realpath "$(dirname "$0")/../golden")
browser=$(realpath "$(dirname "$0")/../browser")
. "$(dirname "$0")/lib.sh"
cp -r "$golden/heap.er" .
tools=$BUILD/npm
chromium=$(command -v chromium || command -v chromium-browser)

# have_package PACKAGE CLAIM COUNT: in continuous integration, they are there.
have_package()
{
	[ ! -d "$tools/node_modules/$1" ] || return 0
	if [ "${CI:-}" = true ]; then not_ok "$2: no $1 of npm"; fi
	skip "$2" "no $1 of npm" "$3"
	return 1
}

# Four threads that wait for each other, sampled, with their input and output.
record server -w on -p hi -i on -A off -- "$programs/wall_server"
is "a program with waits is recorded" 0 $?
record work -p hi -A off -- "$programs/burn50" 1 2
is "a program with CPU time is recorded" 0 $?
for name in server work heap; do
	for format in firefox speedscope chrome folded; do limited 60 "$xer_print" -export $format $name.$format $name.er >command.out 2>&1; done
	is "$name is exported" "0 said said said said" "$? $(for format in firefox speedscope chrome folded; do said_in $name.$format; done | paste -sd' ')"
	limited 20 "$xer_print" -printmode csv -metrics e.totalcpu:name -threads $name.er >$name.threads 2>/dev/null
	limited 20 "$xer_print" -limit 0 -printmode csv -metrics e.any:i.any:name -functions $name.er >$name.functions 2>/dev/null
done

# cpu NAME THREAD: the CPU time of a thread by its table, in ms
cpu() { awk -F, -v thread="$2" 'index($0, thread) { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9.]+$/) { printf "%.3f", $i * 1000; exit } }' "$1.threads"; }

# ---- Firefox Profiler
if have_package @firefox-devtools/profiler-cli "profiler-cli reads the profiles" 14; then
	PROFILER_CLI_SESSION_DIR=$(mktemp -d /tmp/xer-fox-XXXXXX)
	export PROFILER_CLI_SESSION_DIR
	fox() { limited 60 node "$tools/node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js" "$@"; }
	trap 'fox stop --all >/dev/null 2>&1; rm -rf "$PROFILER_CLI_SESSION_DIR"' EXIT
	for name in server work heap; do
		# On a busy machine the reader's server begins later than it expects.
		fox load $name.firefox --session $name >load.out 2>&1
		wait_for fox profile info --session $name
		is "$name: profiler-cli loads it" 0 $?
		fox profile info --all --session $name >$name.info 2>&1
		is "$name: one track for each thread" "$(grep -c '"\?Process 1, ' $name.threads)" "$(grep -cE '^ +t-[0-9]+: ' $name.info)"
	done
	for thread in "Thread 2, burn50" "Thread 3, burn50"; do
		shown=$(sed -nE "s/.*t-[0-9]+: $thread \[tid [0-9]+\] - ([0-9.]+)ms\$/\1/p" work.info)
		within "its CPU use of $thread is that of the table" "$(awk -v x="$(cpu work "$thread")" 'BEGIN { print x - 0.01 }')" "$(awk -v x="$(cpu work "$thread")" 'BEGIN { print x + 0.01 }')" "${shown:-none}"
	done
	worker=$(sed -nE 's/^ *(t-[0-9]+): .*flusher.*/\1/p' server.info | head -1)
	fox thread samples --thread "$(sed -nE 's/^ *(t-[0-9]+): Thread 2, burn50.*/\1/p' work.info)" --session work >samples.txt 2>&1
	contains "its samples are functions of the program" 'burn50!work_a - total: [0-9.]+ms' samples.txt
	fox profile markers --search log_lock --session server >markers.txt 2>&1
	marker=$(grep -oE 'm-[0-9]+' markers.txt | head -1)
	fox marker info "${marker:-none}" --session server >marker.txt 2>&1
	contains "a wait has its object" 'Object: *log_lock' marker.txt
	contains "and who held it" 'Held by: *thread [0-9]+ \(flusher\)' marker.txt
	contains "and where that locked it" 'Locked at: *flush_log.*wall_server.c' marker.txt
	fox marker stack "${marker:-none}" --session server >stack.txt 2>&1
	contains "and its stack" 'log_request' stack.txt
	fox thread markers --list --thread "${worker:-none}" --session server >flusher.txt 2>&1
	contains "threads have their states" ' sleep +t=.* [0-9.]+(ms|s|μs) ' flusher.txt
	fox stop --all >/dev/null 2>&1
fi

# ---- speedscope
if [ -z "$chromium" ]; then
	if [ "${CI:-}" = true ]; then not_ok "speedscope reads them: no chromium"; fi
	skip "speedscope reads them" "no chromium" 8
elif have_package speedscope "speedscope reads them" 8; then
	cp "$browser"/*.mjs "$tools"
	for name in work heap; do
		limited 90 node "$tools/speedscope.mjs" "$chromium" $name.speedscope >$name.scope 2>scope.err
		is "$name: speedscope opens it" "0 0" "$? $(grep -c '^error' $name.scope)"
	done
	is "it begins with all threads" "All threads: Total CPU Time, All threads: Bytes Allocated" "$(head -qn1 work.scope heap.scope | paste -sd, | sed 's/,/, /')"
	# Its list of profiles has their totals.
	contains "its total of bytes allocated is that of the table" '^[0-9]+	All threads: Bytes Allocated	22\.08 KB$' heap.scope
	contains "and of bytes leaked" '^[0-9]+	All threads: Bytes Leaked	8\.30 KB$' heap.scope
	contains "a function has its bytes" '^6\.84 KB \(31%\)	6\.84 KB \(31%\)	leak_malloc$' heap.scope
	total=$(sed -nE 's/^[0-9]+\tAll threads: Total CPU Time\t([0-9.]+)(ms|s)$/\1 \2/p' work.scope | awk '{ print $1 * ($2 == "s" ? 1000 : 1) }')
	wanted=$(awk -F, '/<Total>/ { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9.]+$/) { print $i * 1000; exit } }' work.threads)
	within "its total of CPU time is that of the table" "$(awk -v x="$wanted" 'BEGIN { print x * 0.99 - 1 }')" "$(awk -v x="$wanted" 'BEGIN { print x * 1.01 + 1 }')" "${total:-none}"
	succeeds "its functions are those of the program" grep -qE '	work_a$' work.scope
fi

# ---- Chrome's trace engine
if have_package @paulirish/trace_engine "Chrome's trace engine reads them" 7; then
	cp "$browser"/*.mjs "$tools"
	for name in server work; do
		limited 60 node "$tools/trace_engine.mjs" $name.chrome >$name.engine 2>engine.err
		is "$name: the trace engine reads it" "0 0" "$? $(wc -c <engine.err)"
	done
	is "it has the process" wall_server "$(awk -F'\t' '$1 == "process" { print $3 }' server.engine)"
	is "and all threads that did something, and their states" "flusher flusher (states)" "$(awk -F'\t' '$1 == "thread" && $2 ~ /^flusher/ && $2 !~ /sampled/ { print $2 }' server.engine | sort | paste -sd' ')"
	is "each of the events" "$(grep -c '"ph":"X".*"cat":"wait"' server.chrome)" "$(python3 - <<'END_PY'
import json
events = json.load(open("server.chrome"))["traceEvents"]
names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
other = sum(e["ph"] == "X" and e["cat"] != "wait" and not names[e["pid"], e["tid"]].endswith(("(states)", "(sampled)")) for e in events)
print(sum(int(line.split("\t")[2]) for line in open("server.engine") if line.startswith("thread") and not line.split("\t")[1].endswith(("(states)", "(sampled)"))) - other)
END_PY
)"
	ran=$(awk -F'\t' '$1 == "thread" && $2 ~ /sampled/ { sum += $5 } END { print sum }' work.engine)
	within "functions last as long as the CPU time" "$(awk -v x="$wanted" 'BEGIN { print x * 0.9 }')" "$(awk -v x="$wanted" 'BEGIN { print x * 2.5 }')" "${ran:-none}"
	contains "waits have their stacks as text" '"name":"pthread_mutex_lock".*"object":"log_lock".*"held_by":"thread [0-9]+ \(flusher\)".*"held_at":"flush_log.*"stack":"log_request <- ' server.chrome
fi

# ---- flamegraph.pl, as Debian has it
flamegraph=$(command -v flamegraph.pl || ls /usr/share/perl5/Devel/NYTProf/flamegraph.pl 2>/dev/null)
if [ -z "$flamegraph" ]; then
	skip "flamegraph.pl draws them" "no flamegraph.pl" 3
else
	limited 60 perl "$flamegraph" heap.folded >heap.svg 2>flame.err
	is "flamegraph.pl draws a file" "0 0 said" "$? $(wc -c <flame.err) $(said_in heap.svg)"
	contains "with the total" '<title>all \(22,610 samples, 100%\)</title>' heap.svg
	contains "and each function's" '<title>leak_malloc \(7,000 samples, [0-9.]+%\)</title>' heap.svg
fi
