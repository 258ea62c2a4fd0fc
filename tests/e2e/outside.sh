# Programs that no library can be loaded into are sampled from outside: as the program that xcollect starts, and among its
# descendants.
. "$(dirname "$0")/lib.sh"

alone=$programs/alone_static

# counted_samples NAME: how many samples the helper has written, by its own count, once it has ended
counted_samples()
{
	local i
	for ((i = 0; i < 100; i++)); do
		grep -q 'name="sampler_samples"' "$1.er/log.xml" && break
		sleep 0.1
	done
	sed -n 's/.*<count name="sampler_samples" value="\([0-9]*\)".*/\1/p' "$1.er/log.xml"
}
# samples NAME: how many samples the table shows
samples() { sed -n 's/^# quality: .* \([0-9]*\) samples, .*/\1/p' "$1.txt" | head -1; }
# share NAME FUNCTION COLUMN: per cent
share() { value "$@" | tr -d %; }
# list NAME: "LINEAGE STATUS" of every experiment but the founder, and the "not recorded" ones; without children that executed
# another program, as it is a matter of chance whether these have a sample before
list()
{
	report "$1" -exp_list
	awk '$1 ~ /^[0-9]+$/ && /: / { for (i = 5; i <= NF; i++) if ($i ~ /^_[fxc]/) { s = $5 " " $6; sub(/:$/, "", $i); print $i, s; break } }
		/not recorded/ { print "not recorded", $0 }' "$1.txt" | grep -v '^[^ ]*_f[0-9]* executed'
}
# of NAME LINEAGE: samples of one descendant
of()
{
	limited 100 "$xer_print" -functions "$1.er/$2.er" >of.txt 2>of.err
	samples of
}

# without --sampler: a message says what is missing, and which option would record it
record plain -p off -A off -- sh -c "'$alone' work 1; :"
report plain -exp_list -header all
contains "without --sampler: the list tells, and the remedy" '_f1_x1: .*alone_static \(it is statically linked; --sampler samples it from outside\)' plain.txt
contains "without --sampler: so does the header" 'not recorded: .*alone_static: it is statically linked; --sampler' plain.txt
"$xcollect" -o refused.er "$alone" work 1 >/dev/null 2>refused.err
contains "without --sampler: refused as the program, with the remedy" 'cannot be recorded: it is statically linked; --sampler' refused.err

# timers: xer_print writes the files at the end; if it cannot, a message says so
if "$programs/refuse" perf 1 true; then
	for_everyone
	for how in missing unusable; do
		copy=$everyones/$how
		mkdir "$copy" && cp -r "$everyones/bin" "$everyones/lib" "$copy"
		if [ $how = missing ]; then rm "$copy/bin/xer_print"; else printf '#!/no/such/interpreter\n' >"$copy/bin/xer_print"; fi
		limited 60 "$programs/refuse" perf 1 "$copy/bin/xcollect" -o $how.er --sampler=1m -p off -A off "$programs/alone" work 50 >/dev/null 2>$how.err
		is "timers, xer_print $how: the program ends well" 7 $?
		for ((i = 0; i < 100; i++)); do
			grep -q 'lost_sampler_files' $how.er/log.xml && break
			sleep 0.1
		done
		report $how -header all
		contains "timers, xer_print $how: the header tells" 'data lost in sampler: ' $how.txt
		contains "timers, xer_print $how: and counts" '1 events lost: sampler_files' $how.txt
		within "timers, xer_print $how: the time of the timers' samples is there, ms" 40 100 "$(report $how -functions; value $how '<Total>' 1 | awk '{ print $1 * 1000 }')"
	done
	contains "timers, xer_print missing: told at the beginning" 'xer_print is not beside xcollect: sampler/ will stay empty' missing.err
else
	skip "timers in place of --sampler" "no seccomp filters here"
fi

record try --sampler=1m -p off -A off -- true
if grep -q 'nothing is sampled' try.err; then
	skip "--sampler" "this system lets nobody sample threads (perf_event_open)"
	exit 0
fi

# a path that is too long for a record of modules
long=$PWD/$(printf 'l%.0s' {1..150})/$(printf 'o%.0s' {1..150})
mkdir -p "$long" && cp "$alone" "$long/"
record long -p off -A off --sampler=1m -- "$long/alone_static" work 100
counted_samples long >/dev/null
report long -header all
contains "code whose name is too long for map.fxt is said to be lost" ' events lost: sampler_map$' long.txt

# the program that xcollect starts
record founder --sampler=1m -p off -A src -- "$alone" two 150 fork 100
is "the program: it ends and prints as ever" "7 as ever" "$? $(cat founder.out)"
contains "the program: said at the beginning" 'alone_static is sampled from outside.*statically linked' founder.err
total=$(counted_samples founder)
report founder -functions -header all
is "the program: every sample is shown" "$total" "$(samples founder)"
within "the program: by names" 60 100 "$(share founder work 2)"
within "the program: by stacks" 95 100 "$(share founder half 4)"
contains "the program: the header tells" '^Status +over; sampled from outside, exit status unknown: it is statically linked' founder.txt
is "the program: its child is in the list" "_f1 ended" "$(list founder | cut -d' ' -f1-2)"
within "the program: samples of its child" 80 130 "$(of founder _f1)"
for ((i = 0; i < 100; i++)); do
	find founder.er/archives/src -name alone.c 2>/dev/null | grep -q . && break
	sleep 0.1
done
is "-A src: the program is archived" 1 "$(find founder.er/archives -name 'alone_static_*' | wc -l)"
is "-A src: and its source" 1 "$(find founder.er/archives/src -name alone.c | wc -l)"
record stack --sampler=1m,stack -p off -A off -- "$alone" two 150
counted_samples stack >/dev/null
report stack -functions
within "the program: by copied stacks" 95 100 "$(share stack half 4)"
record faults -h page-faults,1 -p off -A off -- "$alone" fork 10
is "the program: counters" 7 $?
counted_samples faults >/dev/null

# a process that was running already
"$alone" two 1500 >later.out 2>&1 &
target=$!
for ((i = 0; i < 200; i++)); do
	[[ "$(readlink /proc/$target/exe)" != */alone_static ]] || break
	sleep 0.05
done
"$xcollect" -P $target --sampler=1m -A off -t 0.5 -o later.er >attach.out 2>attach.err
is "a process that runs" "0 " "$? $(grep -v '^Creating\|^Attached\|from outside\|takes no samples in system calls: the system forbids that' attach.err)"
wait $target
is "a process that runs: it goes on" "7 as ever" "$? $(cat later.out)"
report later -functions
within "a process that runs: its stacks" 95 100 "$(share later half 4)"

# descendants of a shell that is recorded; one executes a program that can be recorded, and has children of its own
record shell --sampler=1m -p off -A on -- sh -c "'$alone' work 60 fork 60; '$alone' work 50 become '$programs/alone' work 70; '$alone' work 30 vrun '$alone' work 40; :"
is "a shell: it ends well" 0 $?
counted_samples shell >/dev/null
is "a shell: all are in the list" "_f1_x1 ended
_f1_x1_f1 ended
_f2_x1 executed
_f2_x2 ended,
_f3_x1 ended
_f3_x1_f1_x1 ended" "$(list shell | cut -d' ' -f1-2)"
report shell -functions -header all
within "a shell: samples of each: work 60" 50 75 "$(of shell _f1_x1)"
within "a shell: fork 60" 50 75 "$(of shell _f1_x1_f1)"
within "a shell: before the exec" 40 65 "$(of shell _f2_x1)"
# (A user's samples are not those in the kernel, where a loaded system is more often.)
within "a shell: after it, where it is recorded" 45 85 "$(of shell _f2_x2)"
within "a shell: vfork" 30 55 "$(of shell _f3_x1_f1_x1)"
within "a shell: functions have names" 50 100 "$(share shell work 2)"
contains "a shell: the header is content" '^Warnings   none' shell.txt
contains "a shell: who they are" '^Command +[^ ]*alone_static work 60 fork 60' shell.txt
contains "a shell: what is known of the end" 'executed another program, _f2_x2: .*/alone; sampled from outside, exit status unknown: it is statically linked' shell.txt
for ((i = 0; i < 100; i++)); do
	ls shell.er/archives/alone_static_* >/dev/null 2>&1 && break
	sleep 0.1
done
is "a shell: they are archived" 1 "$(find shell.er/archives -name 'alone_static_*' | wc -l)"
report shell -processes
contains "a shell: in the index of processes" '[0-9]' shell.txt
# (Where the system was slow, the shell's fork has used CPU time before it executed, and an experiment of its own.)
id=$("$xer_print" -exp_list shell.er | awk '/ _f1_x1: / { print $1 }')
limited 100 "$xer_print" -filters "EXPID==$id" -functions shell.er >filter.txt 2>&1
within "a shell: filters" 50 75 "$(value filter '<Total>' 1 | awk '{ print $1 * 1000 }')"
# every sample is shown, once (no archiver, whose samples the tables leave out)
record whole --sampler=1m -p off -A off -- sh -c "'$alone' short 20; '$alone' work 20 killed 30; '$alone' work 20 become '$alone' work 20; (while :; do i=\$((i + 1)); [ \$i -lt 20000 ] || break; done); :"
total=$(counted_samples whole)
report whole -functions
is "every sample is of one process" "$total" "$(samples whole)"
contains "a child that is killed" '_f2_x1_f1 ended' <(list whole)

# in PID namespaces, where processes see other process ids
if unshare -rpf true 2>/dev/null; then
	record inside --sampler=1m -p off -A off -- unshare -rpf sh -c "'$programs/alone' work 40 fork 30; '$alone' work 20; :"
	total=$(counted_samples inside)
	report inside -functions
	within "in a namespace: every sample is of one process" $((total * 95 / 100)) "$total" "$(samples inside)"
	is "in a namespace: they are in the list" "_f1_x1 _f1_x1_f1_x1 _f1_x1_f1_x1_f1 _f1_x1_f2_x1" "$(list inside | cut -d' ' -f1 | sort | grep -x '_f1_x1\|_f1_x1_f1_x1\|_f1_x1_f1_x1_f1\|_f1_x1_f2_x1' | xargs)"
	within "in a namespace: the collector's" 30 55 "$(of inside _f1_x1_f1_x1)"
	within "in a namespace: from outside" 15 35 "$(of inside _f1_x1_f2_x1)"
else
	skip "namespaces of pids" "this system lets nobody make them"
fi

# -F
record off --sampler=1m -p off -A off -F off -- sh -c "'$alone' work 30; :"
counted_samples off >/dev/null
is "-F off: none" "" "$(list off | grep '^_')"
contains "-F off: what is left out is said" '^# sampler: [0-9]+ programs? of descendants .*xcollect -F off leaves' off.txt
report off -header all
contains "-F off: in the header" 'of descendants ha(s|ve) samples, and no experiment: xcollect -F off leaves' off.txt
record pattern --sampler=1m -p off -A off -F '=^alone_static$' -- sh -c "'$alone' work 30 run '$programs/alone' work 30; :"
counted_samples pattern >/dev/null
is "-F =REGEX: by the program's name" "_f1_x1 ended" "$(list pattern | grep '^_' | cut -d' ' -f1-2)"

# every process descends from one that is sampled from outside
record tree --sampler=1m -p off -A off -- "$alone" work 30 run sh -c "'$programs/alone' work 40 fork 20; exit 3"
is "from outside: exit status" 10 $?
total=$(counted_samples tree)
report tree -functions
is "from outside: every sample is shown" "$total" "$(samples tree)"
contains "from outside: programs that could be recorded too" '_f1_x1_f1_x1 ended' <(list tree)

# the recording is killed: what was written stays readable
"$xcollect" -o killed.er --sampler=1m -p off -A off sh -c "'$alone' work 400; :" >/dev/null 2>killed.err &
target=$!
for ((i = 0; i < 200; i++)); do
	[ "$(list killed 2>/dev/null | grep -c '_f1_x1 running')" = 1 ] && break
	sleep 0.05
done
is "while it runs: the descendant is in the list" 1 "$(list killed | grep -c '_f1_x1 \(running\|ended\)')"
for helper in /proc/[0-9]*; do
	[ "$(readlink "$helper/exe")" = "$BUILD/lib/xer/xer_sampler" ] && [ "$(readlink "$helper/fd/3")" = "$PWD/killed.er" ] && kill -9 "${helper#/proc/}"
done 2>/dev/null
wait $target
within "its helper is killed: samples until then" 1 450 "$(of killed _f1_x1)"

# real programs
if have go; then
	mkdir hello && printf 'module hello\ngo 1.15\n' >hello/go.mod
	cat >hello/main.go <<-'GO'
	package main

	import "time"

	//go:noinline
	func work() (sum int) {
		for i := 0; i < 1000000; i++ {
			sum += i * i
		}
		return
	}

	func main() {
		for start := time.Now(); time.Since(start) < 200*time.Millisecond; {
			work()
		}
		println("hello")
	}
	GO
	(cd hello && GOCACHE=$PWD/../cache GOFLAGS=-mod=mod timeout -k 5 100 "$xcollect" -o ../go.er --sampler=0.1m -p off -A off go build -ldflags '-s -w' -o hello . >../go.out 2>../go.err)
	is "go build: it ends well" "0 hello" "$? $(hello/hello 2>&1)"
	total=$(counted_samples go)
	report go -functions
	is "go build: every sample is shown" "$total" "$(samples go)"
	report go -exp_list
	contains "go build: the compiler is in the list" '_f[0-9]+_x1: .*compile' go.txt
	contains "go build: the linker is in the list" '_f[0-9]+_x1: .*link' go.txt
	record stripped --sampler=1m -p off -A off -- hello/hello
	counted_samples stripped >/dev/null
	report stripped -functions
	within "a stripped program in Go has names" 80 100 "$(share stripped main.work 2)"
	within "a stripped program in Go has stacks" 80 100 "$(share stripped runtime.main 4)"
	if grep -q 'sampled from outside' go.err; then
		skip "go build: a message explains its own system calls" "go is statically linked here"
	else
		record silent -p off -A off -- go version
		report silent -header all
		contains "go build: a message explains its own system calls" 'a program in Go makes its system calls itself: what it executes is not followed' silent.txt
	fi
else
	skip "go build" "go is not here"
fi
if needs "make and its commands" 2 make; then
	printf 'all: a b\na b:\n\t%s work 20\n.PHONY: a b\n' "'$alone'" >Makefile
	record make --sampler=1m -p off -A off -- make -j2
	total=$(counted_samples make)
	report make -functions
	is "make: every sample is shown" "$total" "$(samples make)"
	is "make: its commands are in the list" 2 "$(list make | grep -c '^_[cf][0-9_xcf]* ended')"
fi
