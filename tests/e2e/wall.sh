# Wall-clock time: waits of exactly known lengths in all functions that block, the sum of the states of a thread, waits that do not
# end, pauses, children, and the views of it.
. "$(dirname "$0")/lib.sh"

columns=total:totalcpu:blocked:wait:lock:cond:join:sleep:file:pipe:socket:tty:poll:child:signal:iowait:datapfault:stop:other:waits
inclusive=i.${columns//:/:i.}

# column METRIC: its place in a table of all of them
column() { awk -v RS=: -v name="$1" '$1 == name { print NR }' <<<"$columns"; }

# state NAME FUNCTION METRIC: the value in the table of NAME.txt
state() { value "$1" "$2" "$(column "$3")"; }

# right CLAIM FILE NAME: the functions that FILE has, as "function metric seconds", have that much of that metric in the table of
# NAME.txt: within 5 ms or 1 %
right()
{
	local function metric seconds found wrong=
	while read -r function metric seconds; do
		[ "$metric" != any ] || continue
		found=$(state "$3" "$function" "$metric")
		awk -v x="${found:-none}" -v truth="$seconds" 'BEGIN { d = x - truth; exit !(x ~ /^[0-9.]+$/ && d <= 0.005 + truth / 100 && d >= -0.005 - truth / 100) }' ||
			wrong="$wrong $function: $seconds s of $metric, found ${found:-none};"
	done <"$2"
	[ -s "$2" ] || wrong="there is no truth"
	is "$1" "" "$wrong"
}

# sums CLAIM NAME: in each row of the table of NAME.txt, CPU time and the states are the whole time
sums()
{
	is "$1" "rows" "$(awk -v cpu="$(column totalcpu)" -v first="$(column wait)" -v last="$(column signal)" -v fault="$(column datapfault)" '
		$1 ~ /^[0-9]+\.[0-9]+$/ && NF > fault + 3 {
			sum = $cpu
			for (i = first; i <= last; i++) sum += $i
			for (i = fault; i < fault + 3; i++) sum += $i
			if (sum > $1 * 1.001 + 0.012 || sum < $1 * 0.999 - 0.012) print $0
			rows++
		}
		END { if (rows > 1) print "rows" }' "$2.txt")"
}

# ---- waits of known lengths

record known -w on -F off -A off -- "$programs/wall_known"
is "no call returns something else than unrecorded" "0 0" "$? $(grep -c . known.err | awk '{ print $1 - 1 }')"
report known -metrics "$inclusive:name" -functions
right "each function has its time, in its state" known.out known
sums "CPU time and states are the whole time of each function" known
"$xer_print" -metrics i.blocked:i.stalled:i.join:i.child:name -functions known.er >stalled.txt
within "stalled is what is blocked but for the end of threads and of children" -0.005 0.005 \
	"$(awk '/<Total>/ { printf "%.6f", $1 - $2 - $3 - $4 }' stalled.txt)"
contains "the quality line counts waits" '^# quality: .* wall-clock waits' known.txt
absent "calls are not counted, though their files have names" -E 'I/O calls' known.txt
report known -metrics "$inclusive:name" -threads
main=$(awk '$1 == "main" { print $3 }' known.out)
within "the main thread's time is that of main and little more" "$main" "$(awk -v x="$main" 'BEGIN { print x * 1.01 + 0.25 }')" "$(state known 'Thread 1, wall_known' total)"
within "all of it is explained" 0 "$(awk -v x="$main" 'BEGIN { print x / 100 }')" "$(state known 'Thread 1, wall_known' other)"
report known -limit 0 -waits
contains "waits names files" '^  read\(pipe:\[[0-9]+\]\)' known.txt
contains "and sockets" '^  accept\(tcp 127\.0\.0\.1:[0-9]+\)' known.txt
contains "and locks" '^  pthread_mutex_lock\(mutex\)' known.txt
contains "and processes" '^  waitpid\(process [0-9]+\)' known.txt
contains "and terminals" '^  read\(/dev/p' known.txt
contains "a wait for the end of a thread tells which one" '^  which is the end of thread [0-9]+ \(wall_known\)' known.txt
contains "a wait that failed" '^  pthread_rwlock_timedrdlock\(rwlock\), Connection timed out' known.txt

# ---- nothing of that needs a privilege

if [ "$(id -u)" = 0 ] && have setpriv; then
	for_everyone
	cp "$programs/wall_known" "$everyones"
	(cd "$everyones" && exec setpriv --reuid 65534 --regid 65534 --clear-groups bin/xcollect -w on -F off -A off -o user.er ./wall_known) >user.out 2>user.err
	is "another user's program waits as root's" 0 $?
	mv "$everyones/user.er" .
	report user -metrics "$inclusive:name" -functions
	right "and each function has its time, in its state" user.out user
else
	skip "another user" "this needs root and setpriv" 2
fi

# ---- with everything else

record all -w on -s all -i on -H on -p hi -F off -A off -- "$programs/wall_known"
is "with all kinds of data" 0 $?
report all -metrics "$inclusive:name" -functions
right "nothing counts twice beside synchronization and I/O tracing" all.out all
sums "the sum of the states with them" all

record alone -w on -p off -F off -A off -- "$programs/wall_known"
all=$columns
columns=${columns/:totalcpu/}
inclusive=i.${columns//:/:i.}
report alone -metrics "$inclusive:name" -functions
right "without a clock profile" alone.out alone
report alone -metrics "$inclusive:name" -threads
within "CPU time is a part of the whole then, too" "$(awk '$1 == "main" { print $3 }' alone.out)" 30 "$(state alone 'Thread 1, wall_known' total)"
columns=$all
inclusive=i.${columns//:/:i.}

record off -A off -- sleep 0.1
[ ! -e off.er/walltrace ] && [ -e off.er/profile ] && ok "-w off records nothing" || not_ok "-w off records something"
report off -waits
is "waits says what would record them" 1 "$(grep -c 'no wall-clock data (record with xcollect -w on)' off.txt.err)"

# ---- threads that wait for each other

record server -w on -p hi -A off -- "$programs/wall_server"
report server -metrics "$inclusive:name" -functions
longest=$(awk '{ print $3 }' server.out)
within "the holder sleeps with the lock" 0.18 0.5 "$(state server slow_sync sleep)"
within "the server waits for it" "$(awk -v x="$longest" 'BEGIN { print x * 0.99 }')" 0.5 "$(state server log_request lock)"
within "the worker waits for a condition" 0.3 2 "$(state server wait_for_flush cond)"
within "main reads news from a pipe" 0.3 2 "$(state server read_news pipe)"
report server -metrics "$inclusive:name" -seconds -time 0.05-0.1 -threads
within "in one second, four threads have four, or less" 2 4.05 "$(state server 'Second 0' total)"
# Time without a CPU is spread over all that is between two accounts, and a busy machine has much of it.
within "a part of the time has that part of each thread" 0.02 0.4 "$(awk '/<Total>/ { row = $1 } END { print row }' server.txt)"
report server -metrics "$inclusive:name" -filters 'STATE == "lock"' -functions
is "a filter chooses a state" "0 0" "$(state server '<Total>' sleep | sed 's/^0.000$/0/') $(state server '<Total>' totalcpu | sed 's/^0.000$/0/')"
within "and leaves it" 0.02 0.5 "$(state server '<Total>' lock)"
report server -check 'i.lock > 0; i.blocked > i.lock'
is "checks of states" 0 $?
report server -metrics e.total:name -export folded folded.txt
contains "exports have states" 'read_news.* [0-9]+$' folded.txt
report server -export chrome chrome.json
contains "traces have waits by name, with their states" '"name":"pthread_mutex_lock".*"state":"lock"' chrome.json
is "and who had the lock" "$("$xer_print" -printmode csv -thread_list server.er | awk -F, '/flusher/ { print $3 }')" "$(grep -o '"name":"pthread_mutex_lock".*"owner":[0-9]*' chrome.json | sed 's/.*"owner"://' | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')"
report server -limit 0 -waits
is "a wait for a lock shows who held it, and what that thread did" "flusher usleep" "$(awk '
	/^Wait #/ { held = 0; waits_for_log = 0 }
	/pthread_mutex_lock\(log_lock\)/ { waits_for_log = 1 }
	waits_for_log && /held when that began by thread [0-9]+ \(flusher\), locked at flush_log.*, line [0-9]+ in "wall_server.c",$/ { held = 1 }
	held && /usleep/ { print "flusher usleep"; exit } # in slow_sync, unless the machine is very busy' server.txt)"
record both -w on -s on -p off -A off -- "$programs/wall_server"
report both -syncwaits
contains "syncwaits tells the holder, too" '^  held when that began by thread [0-9]+ \(flusher\), locked at flush_log.*, line [0-9]+ in "wall_server.c",$' both.txt
"$xer_print" -printmode json -waits both.er >both.json
contains "for programs: the place of locking" '"flusher", "flush_log.*, line [0-9]+ in \\"wall_server.c\\""' both.json
# ended OBJECT: who ended the wait for it, and where, in the report signals.txt; "nobody"
ended()
{
	awk -v object="($1" '
		/^Wait #/ { is_it = 0 }
		/^  [a-z_0-9]+\(/ { is_it = index($0, object) && !/timed out/ }
		is_it && /^  signalled by thread/ { sub(/^  signalled by thread [0-9]+ /, ""); sub(/ \+ 0x[0-9A-F]+/, ""); print; is_found = 1; exit }
		END { if (!is_found) print "nobody" }' "${2:-signals}.txt"
}
record signals -w on -s on -p off -A off -- "$programs/signal_known"
report signals -limit 0 -waits
is "a wait for a condition tells who ended it, and where" '(signaller) at give_cond, line 24 in "signal_known.c",' "$(ended "cond)")"
is "one for a semaphore" '(signaller) at give_sem, line 31 in "signal_known.c",' "$(ended "semaphore)")"
is "one for a condition of C11" '(signaller) at give_c11, line 39 in "signal_known.c",' "$(ended "c11_cond)")"
contains "what that thread did meanwhile" '^  which meanwhile waited for 0\.[12][0-9]+ \(secs\.\), most in$' signals.txt
is "a wait that nobody ended tells nobody" 0 "$(awk '/^Wait #/ { is_it = 0 } /timed out/ { is_it = 1 } is_it && /signalled/' signals.txt | wc -l)"
report signals -limit 0 -syncwaits
is "syncwaits tells it, too" '(signaller) at give_cond, line 24 in "signal_known.c",' "$(ended "cond,")"
report signals -export chrome signals.json
contains "traces, too" '"name":"sem_wait".*"signalled_by":"thread [0-9]+ \(signaller\)","signalled_at":"give_sem.*line 31 in' signals.json
record cxx -w on -p off -A off -- "$programs/signal_cxx"
report cxx -limit 0 -waits
is "waits of C++: a future, a latch, a condition variable" 'give_future give_latch give_variable' "$(grep -oE '^  signalled by thread [0-9]+ \(giver\) at give_[a-z]+' cxx.txt | sed 's/.* //' | sort | paste -sd' ')"
report server -overview
contains "the overview begins with what the time is" '^Thread time [0-9.]+ s = CPU .* \+ lock [0-9.]+ \(log_request\) .* \+ pipe [0-9.]+ \(read_news\)' server.txt
contains "quality says how much is explained" '^# quality: .*wall-clock time explained [0-9.]+ % \(' server.txt

# ---- waits that do not end as usual

record left -w on -p off -A off -- "$programs/open_waits" left
is "a wait that is left by a jump out of a handler" "0 left 1" "$? $(cat left.out)"
report left -limit 0 -waits
is "it is not open" 0 "$(grep -c 'has not ended' left.txt)"
contains "it is told as cancelled" 'Operation canceled' left.txt
record cancel -w on -p off -A off -- "$programs/locks_known" cancel
report cancel -limit 0 -waits
is "waits that end by cancellation" 3 "$(grep -cE '^  (pthread_cond_wait|sem_wait|pthread_join).*Operation canceled' cancel.txt)"

"$xcollect" -w on -p off -A off -o dead.er "$programs/open_waits" deadlock >dead.out 2>dead.err &
dead=$!
for _ in $(seq 600); do
	grep -q waiting dead.out && [ "$("$xer_print" -limit 0 -waits dead.er | grep -c 'has not ended')" -ge 4 ] && break
	sleep 0.1
done
report dead -limit 0 -waits
is "a deadlock, while it lasts" 1 "$(grep '^  pthread_mutex_lock(a), has not ended' dead.txt | sort -u | grep -c .)"
kill -KILL "$dead"
wait "$dead" 2>/dev/null
report dead -limit 0 -waits
is "and after a kill" 1 "$(grep '^  pthread_mutex_lock(b), has not ended' dead.txt | sort -u | grep -c .)"
contains "it is called a deadlock" '^  held by the first of these threads: a deadlock' dead.txt

# ---- processes

record tree -w on -A off -- sh -c 'sleep 0.3; sleep 0.2 & wait; true'
report tree -metrics "$inclusive:name" -threads
within "a shell waits for its children" 0.48 2 "$(awk -v child="$(column child)" '$NF ~ /^(da|ba)?sh$/ { s += $child + $(child + 1) } END { print s }' tree.txt)"
within "its children sleep" 0.49 0.6 "$(awk -v sleep="$(column sleep)" '$NF == "sleep" { s += $sleep } END { print s }' tree.txt)"
record execs -w on -A off -- sh -c 'sleep 0.1; exec sleep 0.2'
report execs -metrics "$inclusive:name" -threads
within "an image that is executed has its own time" 0.2 2 "$(awk -v sleep="$(column sleep)" '$NF == "sleep" && $sleep > most { most = $sleep } END { print most }' execs.txt)"

# ---- pauses

record pause -w on -A off -- "$programs/control_known"
is "a program that pauses its recording" 3 $?
report pause -metrics "$inclusive:name" -threads
sums "its states are its whole time" pause
within "pauses do not count" 0.19 0.29 "$(awk -v wait="$(column wait)" '/<Total>/ { print $1 - $wait; exit }' pause.txt)"
