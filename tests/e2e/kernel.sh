# xcollect -k: the kernel's part of stacks: the functions in which known calls spend their time, under their callers, in every report;
# the same when the experiment is read under another kernel; nothing where the system refuses it, and nothing without -k.
. "$(dirname "$0")/lib.sh"

# count NAME EXPERIMENT: a count of log.xml, once the helper has ended
count()
{
	wait_for grep -q 'name="sampler_samples"' "$2.er/log.xml"
	sed -n "s/.*<count name=\"$1\" value=\"\([0-9]*\)\".*/\1/p" "$2.er/log.xml"
}
# used NAME WORD: what the program says of its CPU time, seconds
used() { awk -v word="$2" '$1 == word { print $2 }' "$1.out"; }
# part NAME WORD: the share of that, per cent
part() { awk -v a="$(used "$1" "$2")" -v b="$(used "$1" all)" 'BEGIN { print 100 * a / b }'; }
# share NAME FUNCTION COLUMN: of the table in NAME.txt
share() { value "$@" | tr -d %; }

record try -k on --sampler=1m -p off -A off -- true
if grep -qE 'nothing is sampled|no functions of the kernel' try.err; then
	skip "-k" "this system lets this user see nothing of its kernel"
	exit 0
fi

record known -k on --sampler=1m,stack -p off -A off -- "$programs/kernel_known" 300
is "it ends well" 0 $?
is "nothing is said" "" "$(grep -v '^Creating' known.err)"
samples=$(count sampler_samples known)
due=$(awk -v s="$(used known all)" 'BEGIN { print int(s * 1000) }')
within "there are samples" $((due / 2)) $((due * 2)) "$samples"
report known -functions

# each function has its time, and what it called in the kernel
for word in ask_parent read_zeros write_nothing touch_pages; do
	sampled "inclusive share of $word" "$(part known $word)" "$(share known $word 4)" "$due"
done
system=$(awk '$NF == "<Total>" { print $1 }' <("$xer_print" -metrics e.system -functions known.er))
"$xer_print" -functions -objects known.er >objects.txt
within "system time is above a third" "$(awk -v all="$(used known all)" 'BEGIN { print all / 3 }')" 100 "$system"
contains "the kernel is a load object" '^<\[kernel\]> \(\[kernel\]\)$' objects.txt
contains "it has names" 'names of the functions in recorded stacks, no lines' objects.txt

# under NAME PARENT PATTERN: the share of the time of PARENT, by the call tree, in which a function like PATTERN is below it, per cent
under()
{
	"$xer_print" -metrics i.totalcpu -calltree "$1.er" | awk -v parent="$2" -v pattern="^($3)\$" '
		{ at = index($0, "+-"); name = substr($0, at + 2); if (!at) next }
		inside && at <= inside { inside = 0 }
		found && at <= found { found = 0 }
		name == parent && !inside { inside = at; all += $1; next }
		inside && !found && name ~ pattern { found = at; part += $1 }
		END { print (all > 0 ? 100 * part / all : "none") }'
}
within "ask_parent enters the kernel by a call" 30 99 "$(under known ask_parent 'entry_SYSCALL_64.*')"
within "and is there in its call" 5 99 "$(under known ask_parent '__x64_sys_getppid')"
within "read_zeros is where zeros are read" 30 100 "$(under known read_zeros 'read_(iter_)?zero')"
within "write_nothing is where they are written to nowhere" 2 99 "$(under known write_nothing 'write_(iter_)?null')"
within "by the functions that all files have" 5 99 "$(under known write_nothing vfs_write)"
within "touch_pages is in page faults" 30 99 "$(under known touch_pages 'asm_exc_page_fault|exc_page_fault')"
within "that get memory" 10 99 "$(under known touch_pages handle_mm_fault)"
is "no function is below another one's" "0 0 0" \
	"$(under known ask_parent 'vfs_.*') $(under known read_zeros 'vfs_write|__x64_sys_getppid') $(under known write_nothing 'vfs_read|__x64_sys_getppid')"

# callers-callees, filters, exports, metrics of lines
report known -metrics a.totalcpu -csingle vfs_read
contains "callers of a function of the kernel" '^[0-9.]+ +ksys_read$' known.txt
report known -filters 'FNAME("^read_(iter_)?zero$") IN STACK' -functions
within "a filter by a function of the kernel" 99.5 100 "$(share known read_zeros 4)"
is "nothing else is left" "" "$(value known write_nothing 4)"
report known -export folded known.folded
contains "flame graphs have the kernel's functions on top" ';read_zeros;read;([^;]*;)*entry_SYSCALL_64[^;]*;.*;read_(iter_)?zero [0-9]+$' known.folded
report known -printmode json -functions
contains "so has JSON" '"vfs_write"' known.txt
report known -lines
contains "lines say of it only whose code it is" 'Function: vfs_write' known.txt
contains "the line of the call has its time" 'kernel_known\.c' known.txt
report known -header
contains "the header says so" "stacks with the kernel.s functions" known.txt

# what the kernel's own tables say
bad=0 lines=0
while read -r start end name module; do
	lines=$((lines + 1))
	grep -q "^$start . ${name}${module:+	\[$module\]}\$" /proc/kallsyms || bad=$((bad + 1))
done <known.er/sampler/kernel
is "every function that is kept is the kernel's" 0 "$bad"
within "only functions that were met are kept" 20 2000 "$lines"
is "each once" "" "$(sort known.er/sampler/kernel | uniq -d)"

# another kernel, where everything lies elsewhere: the reader asks none
"$xer_print" -functions -calltree known.er >here.txt
if unshare -rm true 2>/dev/null && unshare -rm mount --bind /dev/null /proc/kallsyms 2>/dev/null; then
	unshare -rm bash -c 'mount --bind /dev/null /proc/kallsyms && exec "$@"' - "$xer_print" -functions -calltree known.er >there.txt
	is "read without this kernel it is the same" "" "$(diff here.txt there.txt | head -3)"
else
	skip "read without this kernel" "no name space for mounts" 1
fi

# frame pointers, and the same as perf has
record pointers -k on --sampler=1m -p off -A off -- "$programs/kernel_known" 300
report pointers -functions
if have perf && perf record -o perf.data -e cpu-clock -F 1000 -g "$programs/kernel_known" 300 >perf.out 2>perf.err; then
	perf report -i perf.data --no-children --stdio -g none -s dso,sym 2>/dev/null >perf.txt
	for name in read_zero do_syscall_64; do
		truth=$(awk -v name="$name" '$NF == name { print $1 + 0; exit }' perf.txt)
		if [ -n "$truth" ]; then
			sampled "$name has the share that perf finds" "$truth" "$(share pointers "$name" 2)" $((due / 2))
		else
			skip "$name has the share that perf finds" "perf does not meet it" 1
		fi
	done
else
	skip "the shares that perf finds" "perf cannot record" 2
fi

# counters: a page fault is where it happened, a switch is in the scheduler
record counter -k on -h context-switches,1 -p off -A off -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.001; done'
wait_for grep -q 'name="counter0_samples"' counter.er/log.xml
report counter -metrics i.context-switches:e.context-switches -functions
within "sleeps are switches in the call that sleeps" 10 30 "$(value counter __x64_sys_clock_nanosleep 1)"
within "most switches are in the scheduler" 50 100 "$(awk '$NF == "schedule" { part = $2 } $NF == "<Total>" { all = $2 } END { print 100 * part / all }' counter.txt)"

# clock samples: the time is that of the recorder's clock, the kernel's part that of samples beside it
record clock -k on -p hi -A off -- "$programs/kernel_known" 300
is "clock: it ends well" 0 $?
if grep -q 'name="profile_clock" value="perf"' clock.er/log.xml; then
	wait_for grep -q 'name="kernel_samples"' clock.er/log.xml
	report clock -functions
	within "clock: all time is there" 99 101 "$(awk -v all="$(used clock all)" '$NF == "<Total>" { print 100 * $1 / all; exit }' clock.txt)"
	due=$(awk -v s="$(used clock all)" 'BEGIN { print int(s * 1000) }')
	for word in ask_parent read_zeros write_nothing touch_pages; do
		sampled "clock: inclusive share of $word" "$(part clock $word)" "$(share clock $word 4)" "$due"
	done
	within "clock: ask_parent is in its call" 5 99 "$(under clock ask_parent '__x64_sys_getppid')"
	within "clock: read_zeros is where zeros are read" 30 100 "$(under clock read_zeros 'read_(iter_)?zero')"
	within "clock: write_nothing is where they are written" 2 99 "$(under clock write_nothing 'write_(iter_)?null')"
	within "clock: touch_pages is in page faults" 30 99 "$(under clock touch_pages 'asm_exc_page_fault|exc_page_fault')"
	is "clock: no function is below another one's" "0 0 0" \
		"$(under clock ask_parent 'vfs_.*') $(under clock read_zeros 'vfs_write|__x64_sys_getppid') $(under clock write_nothing 'vfs_read|__x64_sys_getppid')"
	"$xer_print" -metrics e.system:name -functions clock.er >system.txt
	within "clock: system time has the kernel's part" 90 100 "$(awk '
		$NF == "<Total>" { all = $1 }
		$NF ~ /^(syscall|read|write|munmap|mmap|touch_pages|clock_gettime)$/ { bare += $1 }
		END { print 100 * (all - bare) / all }' system.txt)"
	record wrapped -k on -p hi -w on -i on -s on -A off -- "$programs/kernel_known" 200
	wait_for grep -q 'name="kernel_samples"' wrapped.er/log.xml
	within "clock: so it has below the recorder's wrappers" 30 100 "$(under wrapped read_zeros 'read_(iter_)?zero')"
else
	skip "-p with -k" "the clock are timers here" 14
fi

# without -k there is none, and refused it is as without
record plain --sampler=1m,stack -p off -A off -- "$programs/kernel_known" 50
is "without -k nothing is kept" "" "$(ls plain.er/sampler/kernel 2>/dev/null)"
report plain -functions
is "and no function of the kernel is there" "" "$(value plain vfs_read 1)"
report plain -objects
absent "nor its object" 'kernel\]' plain.txt
record off -k on -p off -A off -- true
contains "without samples it is said once" 'no functions of the kernel: no samples are taken' off.err
report off -header
contains "and in the header" 'no functions of the kernel: no samples are taken' off.txt
if for_everyone && [ "$(id -u)" = 0 ] && have setpriv && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ]; then
	(cd "$everyones" && setpriv --reuid=65534 --regid=65534 --clear-groups bin/xcollect -k on --sampler=1m -p off -A off -o nobody.er bash -c 'for ((i = 0; i < 200000; i++)); do :; done') >nobody.out 2>nobody.err
	is "another user: it ends well" 0 $?
	is "it is said once" 1 "$(grep -c '^xcollect: -k: stacks have no functions of the kernel: kernel.perf_event_paranoid is above 1$' nobody.err)"
	"$xer_print" -header "$everyones/nobody.er" >nobody.txt
	contains "and in the header" 'no functions of the kernel: kernel.perf_event_paranoid is above 1' nobody.txt
	is "nothing is kept" "" "$(ls "$everyones/nobody.er/sampler/kernel" 2>/dev/null)"
else
	skip "another user" "this needs root, setpriv and kernel.perf_event_paranoid = 2" 4
fi
