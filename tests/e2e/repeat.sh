# --repeat, --warmup and --versus: runs of one program, or of two in turn, become experiments of groups.
. "$(dirname "$0")/lib.sh"

# repeated NAME ARGUMENT...: xcollect with the arguments; its messages go to NAME.err, and $status is its exit status
repeated()
{
	local name=$1
	shift
	timeout -k 5 60 "$xcollect" -p off -S off -A off "$@" >"$name.out" 2>"$name.err" </dev/null
	status=$?
}

# members GROUP: the experiments of a group that can be opened
members() { grep -v '^#' "$1" | while read -r name; do [ -e "$name/log.xml" ] && printf '%s ' "$name"; done | sed 's/ $//'; }

# Runs leave their letters in a file, recorded or not.
for letter in a b; do
	printf '#!/bin/sh\necho %s >>order\n' $letter >$letter
	chmod +x $letter
done

repeated plain --repeat=3 ./a
is "three runs" "0 a a a" "$status $(paste -sd' ' order)"
is "are three experiments of one group" "test.1.1.er test.1.2.er test.1.3.er" "$(members test.1.erg)"
contains "and a line says how to read them" '^3 runs are in test\.1\.erg; to read them: xer_print -functions test\.1\.erg$' plain.err
"$xer_print" -exp_list test.1.erg >list.txt 2>/dev/null
is "each is a recording of its own process" 3 "$(awk '/test\.1\.[123]\.er/ { print $3 }' list.txt | sort -u | wc -l)"
repeated again --repeat=2 ./a
is "another time it is another group" "test.2.1.er test.2.2.er" "$(members test.2.erg)"
rm -f order
repeated named --repeat=2 --warmup=3 -g named.erg ./a
is "runs to warm up are not recorded" "5 named.1.er named.2.er" "$(wc -l <order) $(members named.erg)"
repeated named --repeat=2 -g named.erg ./a
is "a group can have more runs later" "named.1.er named.2.er named.3.er named.4.er" "$(members named.erg)"
# Each run uses 0.6 s, of which events of the first 0.3 s are recorded.
timeout -k 5 60 "$xcollect" --repeat=2 -t 0.3 -p hi -S off -A off -g short.erg "$programs/burn50" 0.6 >short.out 2>short.err </dev/null
is "of each run, the time that was asked for is recorded" "1 1" \
	"$(for run in $(members short.erg); do "$xer_print" -printmode csv -metrics e.totalcpu -functions "$run" 2>/dev/null |
		awk -F, '$1 == "<Total>" { printf "%d ", ($2 > 0 && $2 < 0.45) }'; done | xargs)"
mkdir elsewhere
repeated elsewhere --repeat=2 -d elsewhere -g here.erg ./a
is "experiments can be elsewhere" 2 "$(find elsewhere -name 'here.*.er' | wc -l)"

rm -f order
repeated dry -n --repeat=3 --warmup=2 -g dry.erg ./a
is "a dry run shows one run, and runs none" "0 1 0" "$status $(grep -c 'dry\.1\.er' dry.err) $(find . -name 'order' -o -name 'dry.*erg' | wc -l)"

# Two programs take turns.
rm -f order
repeated versus --repeat=4 --warmup=1 --versus ./a -- ./b
is "A B, B A, A B, B A, after one of each to warm up" "a b a b b a a b b a" "$(paste -sd' ' order)"
is "each has its group" "4 4" "$(members test.1.a.erg | wc -w) $(members test.1.b.erg | wc -w)"
is "of its own runs" "4 4" "$(grep -l '<arg>./a</arg>' test.1.a.*.er/log.xml | wc -l) $(grep -l '<arg>./b</arg>' test.1.b.*.er/log.xml | wc -l)"
contains "and a line says how to compare them" 'xer_print -changes test\.1\.a\.erg test\.1\.b\.erg$' versus.err
repeated word --versus=:: -g old.erg -g new.erg ./a -- :: ./b --
is "another word may stand between them, and groups have names" "0 old.1.er new.1.er" "$status $(members old.erg) $(members new.erg)"
contains "a -- of the program is its own" '<arg>--</arg>' old.1.er/log.xml

# Each run has the same input, if that can go back.
printf 'one\ntwo\n' >input
timeout -k 5 60 "$xcollect" -p off -S off -A off --repeat=3 -g input.erg cat >copied 2>/dev/null <input
is "each run reads the input from its beginning" 6 "$(wc -l <copied)"

# A run that fails is a run; one that cannot begin ends the others.
printf '#!/bin/sh\necho x >>failed\ntest $(wc -l <failed) != 2 || exit 7\n' >fails
chmod +x fails
repeated fails --repeat=3 -g fails.erg ./fails
is "the exit status is that of a failed run" "7 3" "$status $(members fails.erg | wc -w)"
contains "which is said" '^xcollect: 1 of 3 runs failed, the last one with exit status 7$' fails.err
repeated missing --repeat=3 ./missing
is "a program that is not there is tried once" "127 1" "$status $(grep -c 'missing' missing.err)"

# A signal that asks for an end ends the run, and those after it.
printf '#!/bin/sh\necho begun >>begun\nexec sleep 30\n' >sleeps
chmod +x sleeps
"$xcollect" -p off -S off -A off --repeat=5 -g sleeps.erg ./sleeps >/dev/null 2>&1 &
pid=$!
wait_for test -e begun
sleep 0.2
kill -TERM "$pid"
wait "$pid"
is "SIGTERM ends all runs, and xcollect by it" "143 1" "$? $(wc -l <begun)"
is "no program is left" "" "$(pgrep -f 'sleep 30' -P 1 2>/dev/null)"

# refused CLAIM PATTERN ARGUMENT...
refused()
{
	local claim=$1 pattern=$2
	shift 2
	repeated refused "$@"
	is "$claim" 125 "$status"
	contains "$claim: why" "$pattern" refused.err
}
refused "a name of one experiment for several" '-g names their group, instead of -o' --repeat=2 -o x.er ./a
refused "a process that runs already" 'do not go together' --repeat=2 -P 1
refused "one group for two programs" '-g twice, or not at all' --versus -g x.erg ./a -- ./b
refused "two groups for one program" 'are for two programs' -g x.erg -g y.erg ./a
refused "one program where two are wanted" 'needs two programs with -- between them' --versus ./a x
refused "no runs at all" 'out of range \(from 1 to 10000\)' --repeat=0 ./a
refused "a number that is none" "cannot be 'x'" --warmup=x ./a
is "nothing is left of what was refused" "" "$(find . -name 'x.er*' -o -name 'y.er*')"
