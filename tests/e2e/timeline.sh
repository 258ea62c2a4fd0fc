# The text time line: threads whose states are known when, zoomed, chosen, without wall-clock time, of processes, on a terminal.
. "$(dirname "$0")/lib.sh"

# lane NAME FILE: the letters of the thread of that name
lane() { awk -v name="$1" '$1 ~ /^[0-9]+(:[0-9]+)?$/ && $2 == name { sub(/^[^ ]+ +[^ ]+ +/, ""); print; exit }' "$2"; }

# share LETTERS TEXT: how many of its letters are among LETTERS, in per cent
share() { awk -v text="$2" -v letters="$1" 'BEGIN { n = length(text); found = gsub("[" letters "]", "", text); print n ? int(100 * found / n + 0.5) : -1 }'; }

record server -w on -s on -p hi -A off -- "$programs/wall_server"
report server -timeline
contains "the range and what a column is" '^Time line from 0\.000 to [0-9.]+ seconds, 0\.0[0-9]+ seconds a column$' server.txt
within "the flusher sleeps" 90 100 "$(share Ss "$(lane flusher server.txt)")"
within "main reads from a pipe, and joins" 90 100 "$(share PpCc "$(lane wall_server server.txt)")"
within "the worker waits for a condition" 70 100 "$(share Cc "$(lane worker server.txt)")"
longest=$(awk '{ print int($3 * 1000) }' server.out)
within "the server waits for the lock" 5 60 "$(share Ll "$(lane server server.txt)")"
contains "the legend has what was shown" '^(R running, )?(Q [a-z A-Z]*, )?L lock, C condition or thread, S sleep, ' server.txt
contains "an axis of time" '^seconds +\|0\.0 +\|' server.txt
contains "usage samples" '^usage samples +[1-9]' server.txt
contains "begin of the process" '^processes begin +1$' server.txt
is "no line is longer than 100" "" "$(grep -vE '^#|^$' server.txt | grep -E '.{101}')"

# The longest wait for the lock fills a range of its own time.
"$xer_print" -printmode json -limit 0 -syncwaits server.er >waits.json
read -r from to < <(awk -F '[][, ]+' '/"pthread_mutex_lock"/ && /log_lock/ { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+\.[0-9]+$/) { wait = $i; end = $(i + 1); break }
	if (wait > most) { most = wait; from = end - wait * 0.95; to = end - wait * 0.05 } } END { print from, to }' waits.json)
report server -timeline "$from-$to"
within "the longest wait for a lock fills its time ($longest ms)" 97 100 "$(share Ll "$(lane server server.txt)")"
cp server.txt range.txt
report server -time "$from-$to" -timeline
is "the filter of time zooms, too" "$(lane server range.txt)" "$(lane server server.txt)"
report server -timeline all 2-3
is "threads are chosen" "2 3" "$(awk '$1 ~ /^[0-9]+$/ { print $1 }' server.txt | xargs)"
report server -limit 1 -timeline
contains "what is not shown is said" '^# not shown: 3 of 4 threads, those with the least CPU time ' server.txt
report server -limit 1 -timeline all all
is "a limit holds" 1 "$(grep -cE '^[0-9]+ ' server.txt)"
report server -filters 'STATE == "lock"' -timeline
is "filters leave other times blank" "Ll" "$(lane server server.txt | fold -w1 | sort -u | tr -d '\n ' | sed 's/^l*L*$/Ll/')"
for wrong in 2-1 1m-2 77-78; do
	report server -timeline "$wrong"
	is "$wrong is refused" 1 "$(grep -c '^xer_print: timeline: ' server.txt.err)"
done
echo 'timeline 1-2 x' >script
report server -script script
contains "a list that is none is refused with its place" '^xer_print: script:1:14: timeline: ' server.txt.err
"$xer_print" -printmode json -timeline server.er >server.json
within "for programs: the flusher's sleeps in seconds" 0.5 0.9 "$(awk -F '[][, ]+' '/"flusher", .*"sleep"/ { s += $(NF - 1) } END { print s }' server.json)"

# pieces of the seconds have the same totals
metrics=e.total:e.totalcpu:e.lock:e.sleep:name
# totals FILE: their nanoseconds, of a report in JSON
totals() { sed -n 's/^ *\["<Total>", \(.*\)\],\{0,1\}$/\1/p' "$1"; }

"$xer_print" -printmode json -metrics $metrics -seconds server.er >server.json
total=$(totals server.json)
is "there are four totals" 4 "$(tr ' ' '\n' <<<"$total" | grep -c '^[0-9.]*[1-9][0-9.]*')"
for grain in 10ms 500us 0.3; do
	"$xer_print" -printmode json -limit 0 -metrics $metrics -seconds -grain $grain server.er >server.json
	is "pieces of $grain have the same totals to the nanosecond" "$total" "$(totals server.json)"
	is "and so have their rows" "${total%%,*}" "$(sed -n 's/^ *\["[-0-9.]* to [-0-9.]* s", \([0-9.]*\),.*/\1/p' server.json |
		awk '{ s += $1 * 1e9; n++ } END { if (n > 1) printf "%.9f", s / 1e9; else print "too few rows" }')"
done
echo 'seconds -grain 100ms 1-2' >script
report server -script script
is "a list of pieces" "0.1 0.2" "$(awk '/ to .* s$/ { print $(NF - 3) }' server.txt | xargs)"
report server -seconds -grain 10x
contains "a length that is none is refused" '^xer_print: seconds: -grain 10x: ' server.txt.err

record plain -s on -A off -- "$programs/wall_server"
report plain -timeline
contains "without -w, what is missing is said" '^# not recorded: waits but for synchronization \(xcollect -w on ' plain.txt
within "waits for locks are there" 1 60 "$(share L "$(lane server plain.txt)")"
within "sleeps are unknown" 90 100 "$(share . "$(lane flusher plain.txt)")"

record silent -w on -p off -A off -- "$programs/wall_server"
report silent -timeline
is "threads without samples have the names that they were given" "1 flusher server worker" "$(awk '$1 ~ /^[2-4]$/ { print $2 }' silent.txt | sort | xargs echo "$(grep -c '^1 wall_server' silent.txt)")"

record tree -w on -A off -- sh -c 'sleep 0.3; sleep 0.2'
report tree -timeline
is "processes, the founder first" "sh sleep sleep" "$(awk '$1 ~ /^[0-9]+:1$/ { print $2 }' tree.txt | sed 's/^dash$\|^bash$/sh/' | xargs)"
within "the shell waits for children" 80 100 "$(share Ww "$(awk '$1 == "1:1" { print $3 }' tree.txt)")"
is "three processes begin" 3 "$(grep '^processes begin' tree.txt | tr -cd 0-9 | fold -w1 | awk '{ s += $1 } END { print s }')"

if have script; then
	COLUMNS='' TERM=xterm PAGER=cat limited 20 script -qec "stty cols 60 rows 50; $xer_print -timeline server.er" /dev/null >terminal.txt 2>&1
	is "on a terminal it is as wide, in colour" "60 yes" "$(sed 's/\x1b\[[0-9;]*m//g; s/\r$//' terminal.txt | grep -E '^[0-9]+ ' | awk '{ if (length($0) > n) n = length($0) } END { print n }') $(grep -q $'\x1b\\[3[1-6]m' terminal.txt && echo yes)"
else
	skip "a terminal" "script is missing" 1
fi
