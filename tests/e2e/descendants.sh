# Every descendant is recorded, under its name, and behaves as it does without a recorder.
. "$(dirname "$0")/lib.sh"

children=$programs/children

# family CLAIM NAMES WAY [NUMBER]: output and status are as without recording; the descendants' experiments are NAMES
family()
{
	local claim=$1 names=$2 plain recorded
	shift 2
	limited 60 "$children" "$@" >plain.out 2>&1
	plain=$?
	rm -rf "$1.er"
	record "$1" -p off -H on -A off -- "$children" "$@"
	recorded=$?
	is "$claim: exit status" "$plain" "$recorded"
	recorded "$claim" "$1" || return
	is "$claim: output" "$(cat plain.out)" "$(cat "$1.out")"
	[ "$names" = - ] || is "$claim: names" "$names" "$(cd "$1.er" && ls -d _* 2>/dev/null | sed 's/\.er$//' | sort -V | tr '\n' ' ' | sed 's/ $//')"
}

# worked NAME COUNT: leaf_work has allocated COUNT blocks in the whole tree
worked()
{
	report "$1" -metrics i.heapalloccnt:name -functions
	is "$1: what the leaves did" "$2" "$(value "$1" leaf_work 1)"
}

# made NAME KIND: the lineages in the parent's events of this kind, one for each child that the C library made
made()
{
	grep "<event kind=\"$2\"" "$1.er/log.xml" | grep -o ' lineage="[^"]*"' | cut -d'"' -f2 | tr '\n' ' ' | sed 's/ $//'
}

family "fork" "_f1 _f2 _f3" fork 3
worked fork 30
family "fork and exec" "_f1_x1 _f2_x1" fork_exec 2
worked fork_exec 20
report fork_exec -header -programs
contains "the header has a line for each process" '^    2 +[0-9]+ .* ended, exit code [0-9]+ +[^ ]' fork_exec.txt
is "and describes the founder alone" 1 "$(grep -c '^Process ' fork_exec.txt)"
contains "programs has their number and the sum of their times" '^ +[0-9]+ +0\.[0-9]+ .*/children$' fork_exec.txt
family "_Fork" "_f1" _Fork
worked _Fork 10
family "vfork and exec" "_f1_x1 _f2_x1" vfork 2
worked vfork 20
family "vfork and _exit" "" vfork_exit
family "children of children, until names are too long" - nested 90
is "as many as can be named are recorded" 79 "$(ls -d nested.er/_* | wc -l)"
report nested -header all
contains "and the header of the last one tells it" 'their lineage would be too long' nested.txt
family "a child that is killed at once" "" fork_killed
report fork_killed -exp_list
contains "a child that left nothing is in the list" '_f1: a child \(it left no experiment\)' fork_killed.txt
family "clone like fork" "_f1" clone
worked clone 10
family "clone like vfork" "_f1_x1" clone_vfork
worked clone_vfork 10
family "clone with shared memory" "" clone_shared
report clone_shared -header all
contains "clone with shared memory is named as not recorded" "not recorded: .*children: it shares its parent's memory" clone_shared.txt
family "the system call fork" "_f1" raw_fork
worked raw_fork 10
family "the system call clone3" "_f1" raw_clone3
worked raw_clone3 10
family "a fork that nobody sees" "_c1_x1" unseen_fork
worked unseen_fork 10
family "posix_spawn" "_c1 _c2 _c3" posix_spawn 3
worked posix_spawn 30
is "posix_spawn: each is an event" "_c1 _c2 _c3" "$(made posix_spawn posix_spawn)"
is "posix_spawn: with the child's process" "$(sed -n 's/^<process pid="\([0-9]*\)".*/\1/p' posix_spawn.er/_c2.er/log.xml)" \
	"$(sed -n 's/.*kind="posix_spawn".* pid="\([0-9]*\)" lineage="_c2".*/\1/p' posix_spawn.er/log.xml)"
family "posix_spawnp with actions, attributes and no environment" "_c1" posix_spawnp
worked posix_spawnp 10
is "posix_spawnp: it is an event" _c1 "$(made posix_spawnp posix_spawn)"
family "system" "_c1 _c1_f1_x1 _c2 _c2_f1_x1" system 2
worked system 20
is "system: each is an event" "_c1 _c2" "$(made system system)"
family "popen" "_c1 _c1_f1_x1" popen
worked popen 10
is "popen: it is an event" _c1 "$(made popen popen)"
family "wordexp" "_c1" wordexp
is "wordexp: it is an event" _c1 "$(made wordexp wordexp)"
family "daemon" "_f1 _f1_f1" daemon
worked daemon 10
family "daemon that keeps neither directory nor files" "_f1 _f1_f1" daemon_away
worked daemon_away 10
is "and it kept neither" "daemon_away: 3" "$(cat daemon_away.out)"
family "forkpty" "_f1" forkpty
worked forkpty 10
family "exec that fails, then does not" "_x1" failing_exec
worked failing_exec 10
family "exec in a thread" "_x1" thread_exec
worked thread_exec 10
family "exec with an empty environment" "_x1" empty_environment
worked empty_environment 10
family "the system call execve" "_x1" raw_exec
worked raw_exec 10
family "a chain of 20 images" "$(seq -f '_x%g' 1 20 | tr '\n' ' ' | sed 's/ $//')" chain 19
worked chain 10
family "forks from 4 threads at once while others allocate" - threads 6
worked threads 240
is "threads: every child has a name" 24 "$(ls -d threads.er/_* | wc -l)"
family "children forked by a signal handler" - handler 300000

family "a child that outlives its parent" - orphan
for _ in {1..50}; do
	grep -q 'kind="exit"' orphan.er/_f1.er/log.xml 2>/dev/null && break
	sleep 0.1
done
worked orphan 10

family "300 children" - fork_exec 300
is "300 children have 300 experiments" 300 "$(ls -d fork_exec.er/_* | wc -l)"
worked fork_exec 3000
# On a busy machine, one may live long enough for some samples.
large=$(for d in fork_exec.er/_*; do (cd "$d" && cat ./* | wc -c); done | sort -n | sed -n 285p)
within "the experiments of small descendants are small" 1 16384 "$large"

# -F: which descendants are followed.
rm -rf fork.er
record fork -F off -p off -H on -A off -- "$children" fork 3
is "-F off records no descendants" "" "$(ls -d fork.er/_* 2>/dev/null)"
record pattern -F '=^_f[13]$' -p off -H on -A off -- "$children" fork 3
is "-F =REGEX selects by lineage" "_f1.er _f3.er" "$(cd pattern.er && echo _*)"
"$xer_print" -exp_list pattern.er >pattern.txt
contains "and those left out are in the list, with the reason" '_f2: a child \(-F leaves it out' pattern.txt
record program -F '=^children$' -p off -H on -A off -- "$children" system 1
is "-F =REGEX selects by program, and leads through the others" "_c1_f1_x1.er" "$(cd program.er && echo _*)"

# A program that cannot be recorded is run, and a message names it.
record static -p off -A off -- sh -c "'$programs/static' exit 5; echo \$?"
is "a static program runs" 5 "$(cat static.out)"
report static -header all
contains "and the header says why it is not recorded" 'static.*statically linked' static.txt
if [ "$(id -u)" = 0 ] && have setpriv; then
	for_everyone
	cp "$(command -v id)" "$everyones/suid" && chown 1:1 "$everyones/suid" && chmod 4755 "$everyones/suid"
	(cd "$everyones" && exec setpriv --reuid 2 --regid 2 --clear-groups ./suid -u) >plain.out 2>&1
	(cd "$everyones" && exec setpriv --reuid 2 --regid 2 --clear-groups bin/xcollect -p off -A off -o s.er sh -c './suid -u') >suid.out 2>suid.err
	is "a set-user-id program runs with its rights" "$(cat plain.out)" "$(cat suid.out)"
	contains "and is named" 'kind="unrecorded".*other rights' "$everyones/s.er/log.xml"
	# Root's program becomes another user, and what that one executes is recorded too.
	cp "$programs/burn50" "$everyones"
	(cd "$everyones" && bin/xcollect -p hi -o became.er setpriv --reuid 2 --regid 2 --clear-groups sh -c './burn50 0.3; ./burn50 0.1 2; true') >became.out 2>became.err
	if grep -q 'cannot be let into the directory' "$everyones/became.er/log.xml"; then
		skip "a program that becomes another user" "the file system has no access control lists" 9
	else
		is "a program that becomes another user: all it executes is recorded" "_x1.er _x1_f1_x1.er _x1_f2_x1.er" "$(cd "$everyones/became.er" && echo _*)"
		is "by that user" 2 "$(stat -c %u "$everyones/became.er/_x1_f1_x1.er")"
		"$xer_print" -metrics e.totalcpu:name -functions "$everyones/became.er" >became.txt 2>became.txt.err
		within "all its time is there" "$(awk '/^cpu_ns/ { s += $2 } END { print s * 0.97e-9 }' became.out)" "$(awk '/^cpu_ns/ { s += $2 } END { print s * 1.03e-9 + 0.1 }' became.out)" \
			"$(awk '$NF == "<Total>" { print $1; exit }' became.txt)"
		contains "with its functions" 'work_a$' became.txt
		is "nothing is reported" "" "$(cat became.txt.err)"
		contains "its libraries are archived" '^burn50_' <(ls "$everyones/became.er/archives")
		as() { setpriv --reuid "$1" --regid "$1" --clear-groups "${@:2}" >/dev/null 2>&1; }
		as 3 ls "$everyones/became.er" && not_ok "other users see nothing of it" || ok "other users see nothing of it"
		as 3 touch "$everyones/became.er/new" && not_ok "and write nothing" || ok "and write nothing"
		as 2 rm -f "$everyones/became.er/map.xml" && not_ok "the user removes nothing of root's" || ok "the user removes nothing of root's"
	fi
else
	skip "a set-user-id program" "only root can make one for another user" 2
	skip "a program that becomes another user" "only root can" 9
fi

# A program that runs xcollect itself: its recording is a separate one.
record outer -p off -H on -A off -- sh -c "'$xcollect' -p off -H on -A off -o inner.er '$children' fork 2"
worked inner 20
is "a recording inside of a recording has its own descendants" "_f1.er _f2.er" "$(cd inner.er && echo _*)"
is "which are not the outer one's" "" "$("$xer_print" -functions outer.er | grep leaf_work)"

# A tree of ordinary programs.
cat >job.sh <<'JOB'
printf 'a\nb\n' | sort -r | while read -r x; do echo "$x"; done
(exit 3); echo $?
env -i /bin/sh -c 'echo "$#"' sh 1 2
perl -e 'print `echo from perl`; system("true"); exec "echo", "last"'
JOB
bash job.sh >plain.out 2>&1
record job -p hi -- bash job.sh
is "a script's output" "$(cat plain.out)" "$(cat job.out)"
report job -exp_list
contains "perl's child is in the list" 'perl' job.txt
if [ -n "$(find job.er -name 'archives' -path '*_*')" ]; then not_ok "archives are the founder's alone"; else ok "archives are the founder's alone"; fi
contains "the quality line covers the whole tree" 'covered (9[5-9]|100)\.' <(report job -functions; cat job.txt)

# The first event of a descendant may come from a thread other than the main one, but the main thread's record still begins its
# data.
mkdir io
record first -p off -S off -i on -A off -- sh -c "'$programs/io_known' io 1; true"
report first -exp_select 2 -thread_list
pid=$(sed -n 's/.*<process pid="\([0-9]*\)".*/\1/p' first.er/_f1_x1.er/log.xml)
is "a thread that records before the main one is not taken for it" "$pid 1 io_known" \
	"$(awk -v pid="$pid" '$3 == pid { tid = $3; name = $6; count++ } END { print tid, count, name }' first.txt)"
is "and is in the list once" "" "$(awk '$3 ~ /^[0-9]+$/ { print $3 }' first.txt | sort | uniq -d)"

# Children that are killed cannot say so, but their parent is told.
"$programs/killed_children" >plain.out
record killed -p off -S off -H on -A off -- "$programs/killed_children"
is "a program that waits for killed children, in all ways, is told what it is told without recording" "$(cat plain.out)" "$(cat killed.out)"
report killed -exp_list -header 2
is "the signals that killed them are known" "killed by SIGABRT, killed by SIGKILL, killed by SIGSEGV, ended, exit code 3, killed by SIGTERM" \
	"$(sed -nE 's/^ +[2-6] +yes +[0-9]+ +[0-9.]+ +(.*[^ ]) +_f[0-9]:.*/\1/p' killed.txt | paste -sd+ | sed 's/+/, /g')"
contains "the header says who told" '^Status     killed by SIGABRT \(signal 6\), as its parent was told$' killed.txt
is "each is told once" 4 "$(grep -c 'kind="killed"' killed.er/log.xml)"
