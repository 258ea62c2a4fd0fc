# The critical path: a chain of a join, a lock and a child with exactly known times, and processes.
. "$(dirname "$0")/lib.sh"

# piece N COLUMN: of the N-th piece of the path in chain.txt
piece() { awk -v n="$1" -v c="$2" '/^ +[0-9]+\.[0-9]+ +[0-9]+\.[0-9]+ +[0-9]+\.[0-9]+ / && ++found == n { print $c; exit }' chain.txt; }

record chain -w on -p hi -A off -- "$programs/chain_known"
must "the chain is recorded" 0 $?
report chain -critical
contains "from the end of the first thread" '^Critical path to the end of thread 1 chain_known, from 0\.000 to [0-9.]+ seconds, the end first$' chain.txt
is "the path goes through the threads" "chain_known user holder user chain_known holder chain_known" "$(awk '/^ +[0-9]+\.[0-9]+ +[0-9]+\.[0-9]+ +[0-9]+\.[0-9]+ / && $4 ~ /^[0-9]+$/ { sub(":", "", $5); print $5 }' chain.txt | xargs)"
read -r burnt held slept < <(tail -1 chain.out)
within "the thread that is joined burns CPU time behind the lock" "$burnt" 5 "$(piece 2 3)"
within "the holder of the lock has the time of the wait, as the program measured it" "$(awk -v x="$held" 'BEGIN { print x * 0.9 }')" "$(awk -v x="$held" 'BEGIN { print x * 1.01 }')" "$(piece 3 3)"
contains "why the path comes to the thread that is joined" '^ +it ended: 1 chain_known waited in pthread_join\(thread ' chain.txt
contains "and to the holder" '^ +it had the lock: [2-4] user waited in pthread_mutex_lock\(lock\) for 0\.' chain.txt
contains "and back to who waited, where the wait began" '^ +the wait began: [2-4] user waited in pthread_mutex_lock\(lock\) for 0\.' chain.txt
contains "and to main" '^ +it started the thread above$' chain.txt
within "by function: the sleep with the lock" "$(awk -v x="$held" 'BEGIN { print x * 0.9 }')" "$(awk -v x="$held" 'BEGIN { print x * 1.01 }')" "$(awk '/usleep <- hold/ { print $1 }' chain.txt)"
within "main's own sleep" "$slept" "$(awk -v x="$slept" 'BEGIN { print x + 0.1 }')" "$(awk '/usleep <- sleep_first/ { print $1 }' chain.txt)"
within "the CPU time" "$(awk -v x="$burnt" 'BEGIN { print x * 0.8 }')" "$(awk -v x="$burnt" 'BEGIN { print x * 1.2 }')" "$(awk '/running +burn/ { print $1 }' chain.txt)"
absent "what did not matter is not on it" 'usleep <- idle' chain.txt
sum=$("$xer_print" -printmode json -critical chain.er | awk -F '[][, ]+' '/"(running|cond|lock|sleep)", "(begin|lock|waited|signal|join|started)"\]/ { s += $3 - $2 } END { print s }')
within "the pieces add up to the whole time" 0.98 1.001 "$(awk -v s="$sum" '/^Critical path/ { print s / $(NF - 4) }' chain.txt)"
report chain -critical all 3
contains "from the end of another thread" '^Critical path to the end of thread 3 ' chain.txt
report chain -limit 1 -critical
contains "a limit says what it leaves out" '^# 6 more pieces of the path are not shown \(limit 7 shows all\)$' chain.txt
report chain -critical 98-99
is "a range without data" 1 "$(grep -c '^xer_print: critical: nothing was recorded in that range' chain.txt.err)"

record signals -w on -A off -- "$programs/signal_known"
report signals -critical
contains "a signal is a step of the path" '^ +it gave the signal: 1 signal_known waited in cnd_wait\(c11_cond\) for 0\.' signals.txt
within "which goes on with what the signaller did" 0.6 0.75 "$(awk '/usleep <- prepare/ { print $1 }' signals.txt)"
is "and not with the waits that it ended" 0 "$(grep -c 'wait_for_sem$' signals.txt)"

record plain -A off -- true
report plain -critical
is "without -w, it says what is missing" 1 "$(grep -c 'no wall-clock data (record with xcollect -w on)' plain.txt.err)"

record tree -w on -A off -- sh -c 'sleep 0.3; x=$(sleep 0.2); true'
report tree -critical
within "a shell waits for its children: both sleeps" 0.49 0.6 "$(awk '/sleep +[a-z_]*nanosleep <- / { s += $1 } END { print s }' tree.txt)"
contains "for the one that it waits for" '^ +it ended: 1:1 [a-z]+ waited in wait' tree.txt
contains "and the one whose output it reads" '^ +it ended( then)?: 1:1 [a-z]+ waited in (read|wait)' tree.txt

record image -w on -A off -- sh -c 'sleep 0.2; exec sleep 0.1'
report image -critical
within "a program that becomes another one" 0.29 0.4 "$(awk '/sleep +[a-z_]*nanosleep <- / { s += $1 } END { print s }' image.txt)"
contains "that is said" '^ +it executed the program above$' image.txt
