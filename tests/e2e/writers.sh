# Who wrote what a thread waits for: pipes, sockets, message queues, of threads and other processes; who came last to a barrier; who
# gave a semaphore of System V. The program knows it all.
. "$(dirname "$0")/lib.sh"

# told NAME: of the longest wait of each function that the program tells of: "function other-function thread", sorted
told()
{
	"$xer_print" -printmode csv -limit 0 -waits "$1.er" 2>/dev/null | python3 -c '
import csv, sys
rows = [row for row in csv.reader(line for line in sys.stdin if not line.startswith("#"))]
names = next(row for row in rows if "owner_site" in row)
told = {}
for row in rows[rows.index(names) + 1:]:
    wait = dict(zip(names, row))
    where = wait.get("where", "").split()
    if where and (where[0].startswith(("read_", "meet_")) or where[0] == "take"):
        told.setdefault(where[0], " ".join([where[0], (wait["owner_site"].split() + ["nobody"])[0], wait["owner"]]))
print("\n".join(sorted(told.values())))'
}

record all -w on -i on -p off -A off -- "$programs/writer_known"
must "the program waits for all that" 0 $?
is "each wait names who ended it, and where" "$(sort all.out)" "$(told all)"
report all -limit 0 -waits
contains "a writer of the same process" '^  written by thread [0-9]+ \(writer_known\) at write_pipe' all.txt
contains "a writer of another process" '^  written by experiment [2-9], thread [0-9]+ \(writer_known\) at write_tcp' all.txt
contains "what it did meanwhile" '^      start_child' all.txt
contains "a message queue has a number" '^  msgrcv\(message queue [0-9]+\)$' all.txt
contains "a POSIX queue has the name of the one that is open, not of one before" '^  mq_receive\(/writer_known\.[0-9]+\.1\)$' all.txt
contains "so has one that is full" '^  mq_send\(/writer_known\.[0-9]+\.1\)$' all.txt
contains "a timed wait" '^  mq_timedreceive\(/writer_known\.[0-9]+\.1\)$' all.txt
contains "for a process that has opened the queue by its name" '^  written by experiment [2-9], thread [0-9]+ \(writer_known\) at write_timed' all.txt
contains "a UNIX socket that listens has its name" '^  accept\(unix writer_known\.[0-9]+\)$' all.txt
contains "epoll tells the descriptor that was ready" '^  epoll_wait\(pipe:\[[0-9]+\]\)$' all.txt
contains "and who wrote to it" '^  written by experiment [2-9], thread [0-9]+ \(writer_known\) at write_epolled' all.txt
contains "a barrier" '^  until the last one came, thread [0-9]+ \((first|second|third)\) at meet_[123] ' all.txt
limited 60 "$xer_print" -export chrome all.chrome all.er 2>/dev/null
limited 60 "$xer_print" -export firefox all.firefox all.er 2>/dev/null
limited 60 "$xer_print" -export fxt all.fxt all.er 2>/dev/null
limited 60 "$xer_print" -fxt_dump all.fxt >all.dump 2>/dev/null
is "a trace for Chrome has who wrote, and where" "$(grep ^read_ all.out | sort)" "$(python3 -c '
import json
waits = [event["args"] for event in json.load(open("all.chrome"))["traceEvents"] if "written_by" in event.get("args", {})]
told = {(wait["stack"].split()[0], wait["written_at"].split()[0], wait["owner"]) for wait in waits if wait["stack"].startswith("read_")}
print("\n".join(sorted("%s %s %d" % each for each in told)))')"
is "one for Firefox, too" "$(grep ^read_ all.out | awk '{ print $2, $3 }' | sort)" "$(python3 -c '
import json
waits = [data for thread in json.load(open("all.firefox"))["threads"] for data in thread["markers"]["data"] if data and data.get("written_at", "").startswith("write_")]
print("\n".join(sorted({"%s %d" % (wait["written_at"].split()[0], wait["owner"]) for wait in waits})))')"
is "and one of Fuchsia" "$(grep ^read_ all.out | awk '{ print $2, $3 }' | sort)" "$(sed -nE 's/.*"owner": uint64 ([0-9]+) .*"written_at": string "(write_[a-z]+).*/\2 \1/p' all.dump | sort -u)"
contains "with the process of another one" '"owner_process": uint64 [0-9]+ "written_by": string "process [0-9]+, thread [0-9]+ \(writer_known\)"' all.dump
report all -critical
contains "the critical path goes on with who came last" 'it came last: [0-9]:[0-9]+ (first|second|third) waited in pthread_barrier_wait\(barrier\)' all.txt
# (If main was late, it waited for the end of that thread.)
contains "and who gave the semaphore" '(it gave the signal: 1:1 writer_known waited in semop\(set [0-9]+\)|it ended: 1:1 writer_known waited in pthread_join)' all.txt
report all -ioactivity
contains "connections keep the name of their other end" 'tcp 127\.0\.0\.1:[0-9]+ \(socket\)$' all.txt

# Objects that processes share: who had or gave them is another process.
record shared -w on -p off -A off -- "$programs/shared_known"
must "a program that shares locks with a child" 0 $?
is "each wait names the process that ended it" "$(awk '{ print $1, $3 }' shared.out | sort)" "$("$xer_print" -printmode csv -limit 0 -waits shared.er 2>/dev/null | python3 -c '
import csv, sys
rows = [row for row in csv.reader(line for line in sys.stdin if not line.startswith("#"))]
names = next(row for row in rows if "owner_site" in row)
waits = [dict(zip(names, row)) for row in rows[rows.index(names) + 1:]]
told = {(wait["where"].split()[0], wait["owner"]) for wait in waits if wait.get("where", "").startswith("take_") and float(wait["wait"]) > 0.03}
print("\n".join(sorted("%s %s" % each for each in told)))')"
report shared -limit 0 -waits
contains "a mutex has its holder" '^  held when that began by experiment 2, thread [0-9]+ \(shared_known\)' shared.txt
contains "a condition has who signalled" '^  signalled by experiment 2, thread [0-9]+ \(shared_known\)' shared.txt
contains "a barrier has who came last" '^  until the last one came, experiment 2, thread [0-9]+ \(shared_known\)' shared.txt
report shared -critical
contains "the critical path goes on with the other process" '^ +it (came last|ended): 1:1 shared_known waited in (pthread_barrier_wait|waitpid)\(' shared.txt
within "and with what that did before" 0.39 5 "$(awk '/usleep <- give_/ { s += $1 } END { print s }' shared.txt)"

# Without -i, a write that takes less than 2 us is not recorded.
record waits -w on -p off -A off -- "$programs/writer_known"
is "without I/O tracing nobody is named who was not the one" "" "$(told waits | grep -v nobody | grep -vxFf waits.out)"
within "and most are found" 8 14 "$(told waits | grep -cxFf waits.out)"

record outer -w on -i on -p off -A off -- bash -c 'read -r line; echo "$line"' < <(sleep 0.2; echo hello)
report outer -limit 0 -waits
is "a writer that is not recorded is not named" 0 "$(grep -c 'written by .*thread' outer.txt)"
contains "and that is said" '^  written by no recorded process: the other end was closed, or is elsewhere$' outer.txt

record path -w on -i on -p off -A off -- bash -c '(sleep 0.2; echo now; exec sleep 0.1) | (read -r line; exec sleep 0.3)'
report path -critical
contains "the critical path goes on with who wrote" 'it wrote: [0-9]+:1 [a-z]+ waited in read\(pipe:\[[0-9]+\]\) for 0\.' path.txt
within "and with what that waited for" 0.49 0.6 "$(awk '/sleep +[a-z_]*nanosleep <- / { s += $1 } END { print s }' path.txt)"
