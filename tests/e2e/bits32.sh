# 32-bit programs: their user events, when they are started directly, as descendants of 64-bit programs, and with 64-bit programs
# as descendants; the loader must never meet a library of the wrong class.
tests=$(realpath "$(dirname "$0")/..")
. "$(dirname "$0")/lib.sh"
xer_trcrpt=$readers/xer_trcrpt
export XDG_CONFIG_HOME=$PWD/config

if ! makes_32 gcc || ! ./try; then
	skip "programs of 32 bits" "gcc -m32 does not work, or such programs do not run here"
	exit 0
fi

# events NAME HOOK...: how many events of these hooks all processes of NAME.er have
events()
{
	local name=$1
	shift
	limited 100 "$xer_trcrpt" -h -r -d "$(IFS=,; echo "$*")" "$name.er" | grep -c '^0'
}

# build NAME SOURCE OPTION...
build()
{
	local name=$1 source=$2
	shift 2
	gcc -D_GNU_SOURCE -std=gnu11 -Wall -Wextra -Werror -O2 -g -I"$tests/../include" -I"$tests/.." "$@" -o "$name" "$tests/programs/$source.c" -lpthread
}

# is_quiet CLAIM NAME: the recorded program has printed nothing, and only xcollect has printed messages
is_quiet()
{
	is "$1" "Creating" "$(sed 's/^Creating experiment directory.*/Creating/' "$2.err")"
}

builds "the header in a program of 64 bits" build wide bits
builds "in one of 32 bits" build narrow bits "${m32[@]}"
builds "in one of fixed addresses" build fixed bits "${m32[@]}" -no-pie -fno-pie
builds "in one whose stack is aligned to 4 bytes" build odd bits "${m32[@]}" -mpreferred-stack-boundary=2 -mincoming-stack-boundary=2 -msse2
programs32="narrow fixed odd"
if needs "programs of 32 bits by clang" 6 clang && makes_32 clang; then
	builds "in one by clang" clang -D_GNU_SOURCE "${m32[@]}" -no-pie -O2 -I"$tests/.." -o clanged "$tests/programs/bits.c" -lpthread
	programs32="$programs32 clanged"
elif have clang; then
	skip "programs of 32 bits by clang" "clang -m32 does not work" 6
fi
builds "the library for them" test -e "$BUILD/lib/xer/32/libcollector.so"

for program in $programs32; do
	"./$program" words
	is "$program: unrecorded it runs" 0 $?
	record "$program" -- "./$program" words
	is "$program: recorded it runs" 0 $?
	is_quiet "$program: nobody complains" "$program"
	is "$program: all events" "1 4000 1 11 0" "$(events "$program" 010) $(events "$program" 030) $(events "$program" 031) $(events "$program" 032) $(events "$program" 0f0)"
done
for program in narrow wide; do
	record "masks-$program" -- "./$program" masks
	is "$program: its threads have the signals blocked that it had" 0 $?
done
"$xer_trcrpt" -h -r -d 030 narrow.er >narrow.txt
is "each word in each of four threads" "4 4 4000" "$(awk '/^030/ { count[$5]++ } END { printf "%d %d ", count["00000000"], count["000003E7"]; for (i in count) n += count[i]; print n }' narrow.txt)"
is "words are of 4 bytes" "030E0000 000003E7 FFFFFC18 00000BB5" "$(awk '$5 == "000003E7" { print $4, $5, $6, $7; exit }' narrow.txt)"
"$xer_trcrpt" -h -r -d 031 narrow.er >narrow.txt
contains "except the events of trchook64" '80000038031[0-9A-F]* 123456789ABCDEF9 FFFFFFFFFFFFFFFF 0000000000000000 0000000000000001 8000000000000000' narrow.txt
printf '032 1.0 L=APPL "" $HD%%D2 $D1%%D4 $HL%%D4 $HOOKENV%%D4\n010 1.0 L=APPL "" $D1%%D4 $D2%%N\n' >lengths
# In 32-bit events the length takes the place of the sub-id: xer_trcfmt(5).
is "generic events" "$(for i in 0 1 2 3 4 5 6 7 8; do echo "$((i * 500)) $i $((i * 500)) 32"; done; echo "4096 9 4096 32"; echo "0 10 0 32")" \
	"$("$xer_trcrpt" -h -t lengths -d 032 narrow.er | awk '/^032/ { print $4, $5, $6, $7 }')"
is "an address has its name" "4 main" "$("$xer_trcrpt" -h -t lengths -d 010 narrow.er | awk '/^010/ { print $4, $5 }')"
report narrow -header all
contains "the header says what is recorded of it" 'of a 32-bit program, user events, usage and descendants are recorded' narrow.txt
is "and the report exits 0" 0 $?
within "usage is sampled" 1 1000000000 "$("$xer_print" -overview narrow.er >narrow.txt; grep -c 'Threads: 5' narrow.txt)"
if needs "llvm-xray reads what a program of 32 bits left" 2 llvm-xray; then
	for file in narrow.er/usertrace narrow.er/overview; do
		succeeds "llvm-xray reads $file" timeout 60 llvm-xray fdr-dump -verify $file
	done
fi

# ---- process trees
for first in narrow wide fixed; do
	second=wide
	[ "$first" != wide ] || second=narrow
	record "tree-$first" -p off -- "./$first" tree "$PWD/$second"
	is "$first: a tree of both sizes runs" 0 $?
	is_quiet "$first: and nobody complains" "tree-$first"
	is "$first: its images, its forked children, none that saw a variable of the recorder" "10 3 0" "$(events "tree-$first" 010) $(events "tree-$first" 020) $(events "tree-$first" 0f0)"
	"$xer_trcrpt" -h -t lengths -d 010 "tree-$first.er" | awk '/^010/ { print $4, $5 }' | sort | uniq -c | sed 's/^ *//' >counts
	if [ "$first" = wide ]; then expected="9 4 main,1 8 main"; else expected="1 4 main,9 8 main"; fi
	is "$first: each with its size and the address of its main" "$expected" "$(paste -sd, counts)"
done
record both -p on -- ./narrow tree "$PWD/wide"
[ -s both.er/_x1.er/profile ] && ok "an image of 64 bits has the profile that one of 32 had not" || not_ok "the image of 64 bits has no profile"
record all -H on -s all -i on -p hi --functrace -- ./wide tree "$PWD/narrow"
is "with all kinds on" "0 10" "$? $(events all 010)"
record some -p off -F =wide -- ./narrow tree "$PWD/wide"
is "only images of one name among the descendants, and the founder" "10 0" "$(events some 010) $(events some 020)"
rm -r some.er
record shell -p off -- /bin/sh -c './narrow leaf; ./wide leaf; exec ./fixed leaf'
is_quiet "a shell of 64 bits" shell
is "runs both" 3 "$(events shell 010)"
LD_PRELOAD=libm.so.6 record preload -p off -- ./narrow leaf
is "what the user preloads stays in the environment" "1 1" "$(events preload 010) $(events preload 0f0)"

cat >paused.c <<'END'
#include <collectorAPI.h>
#include <sys/trchkid.h>
int main(void)
{
	TRCHKL0(HKWD_USER1);
	collector_pause();
	TRCHKL0(HKWD_USER2);
	collector_resume();
	TRCHKL0(HKWD_USER1);
	collector_terminate_expt();
	TRCHKL0(HKWD_USER3);
	return 0;
}
END
for options in "" "-no-pie -fno-pie"; do
	# shellcheck disable=SC2086
	builds "the control functions in a program of 32 bits ($options)" gcc "${m32[@]}" $options -I"$tests/../include" -o paused paused.c
	rm -rf paused.er
	record paused -p off -- ./paused
	is "do what they say" "0 2 0 0" "$? $(events paused 010) $(events paused 020) $(events paused 030)"
done

# ---- selection, modes, switches
record some -p off --hooks=031,032:3 -- ./narrow words
is "selected hooks" "0 0 1 1" "$(events some 010) $(events some 030) $(events some 031) $(events some 032)"
record ring -p off --component=ring:030:mode=circular:size=0.1 -- ./narrow words
"$xer_trcrpt" -h -r -d 030 ring.er >ring.txt
gone=$(sed -n 's/^# \([0-9]*\) events gave.*/\1/p' ring.txt)
is "a ring: the rest is counted" 4000 $(($(grep -c ^030 ring.txt) + ${gone:-0}))
within "and there is a rest" 100 3900 "${gone:-0}"
builds "the program of switches" build work user_work "${m32[@]}"
record work -p off -- ./work 3 4
is "its events" "24 12 12 12 2" "$(events work 020) $(events work 021) $(events work 022) $(events work 023) $(events work 024)"
record pause -p off -- ./work 1 4 pause
is "it switches off and on" "2 4 2 2" "$(events pause 021) $(events pause 020) $(events pause 001) $(events pause 002)"
"$xcollect" -o signal.er -p off --trace-start=off --trace-signal=USR2 ./work 1 300 >/dev/null 2>&1 &
pid=$!
sleep 0.15
kill -USR2 $pid
sleep 0.1
kill -USR2 $pid
wait $pid
is "a signal switches, and the program ends well" 0 $?
within "some events are there" 1 299 "$(events signal 021)"
"$xcollect" -o killed.er -p off ./work 2 10000 >/dev/null 2>&1 &
pid=$!
sleep 0.3
kill -KILL $pid
{ wait $pid; } 2>/dev/null
within "the events of a killed program" 1 20000 "$(events killed 021)"
(ulimit -f 64; record full -p off -- ./narrow words)
is "a limit of open files does no harm" 0 $?
kept=$(events full 010 030 031 032)
within "and what does not fit is counted" 1 4012 $((kept))
contains "as lost" "^# $((4013 - kept)) events were lost\$" <("$xer_trcrpt" -h -d 024 full.er)

# ---- a message says what cannot be recorded
./work 1 20000 >/dev/null &
pid=$!
for ((i = 0; i < 200; i++)); do # wait until the shell has executed the program
	[[ "$(readlink /proc/$pid/exe)" != */work ]] || break
	sleep 0.05
done
"$xcollect" -P $pid -o attached.er >command.out 2>&1
is "a running program of 32 bits is refused" 126 $?
contains "with the reason" 'it is a 32-bit program, which is to be started by xcollect' command.out
kill $pid
{ wait $pid; } 2>/dev/null
mkdir -p elsewhere/lib
cp -r "$BUILD/bin" elsewhere
cp -r "$BUILD/lib/xer" elsewhere/lib
rm -r elsewhere/lib/xer/32
xcollect=$PWD/elsewhere/bin/xcollect
record none -- ./narrow leaf
is "without the library a program of 32 bits is refused" 126 $?
contains "with the reason" 'narrow cannot be recorded: it is a 32-bit program, for which there is no collector' none.err
record without -p off -- ./wide tree "$PWD/narrow"
is "as a descendant it runs" 0 $?
is_quiet "and nobody complains" without
is "the others are recorded" "1 3" "$(events without 010) $(events without 020)"
report without -header all
contains "the header says what is missing" 'narrow.*it is a 32-bit program, for which there is no collector' without.txt
