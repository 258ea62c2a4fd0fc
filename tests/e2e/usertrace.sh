# User events: the programs and the report of the article on them, a program with its own templates, selection, switches, modes,
# components.
tests=$(realpath "$(dirname "$0")/..")
. "$(dirname "$0")/lib.sh"
xer_trcrpt=$readers/xer_trcrpt
export XDG_CONFIG_HOME=$PWD/config

# trcrpt NAME OPTION...: the report of NAME.er goes to NAME.txt
trcrpt()
{
	local name=$1
	shift
	limited 100 "$xer_trcrpt" "$@" "$name.er" >"$name.txt" 2>"$name.txt.err"
}

# events NAME HOOK...: how many events of these hooks NAME.er has
events()
{
	local name=$1
	shift
	limited 100 "$xer_trcrpt" -h -r -d "$(IFS=,; echo "$*")" "$name.er" | grep -c '^0'
}

# ---- the article
cat >myc.c <<'END'
#include <sys/types.h>
#include <sys/trchkid.h>
#include <stdio.h>

#define HKWD_CUSTOM 0x01000000
main()
{
char s[]="malloc";
char s1[]="successful malloc";
int *i;
int j=5;
int k=20;
i=malloc(sizeof(int)*10);
/*
  * please note the way string is
  * passed as one of the datawords in non-generic trace API
  */
TRCHKL4(HKWD_CUSTOM,*(unsigned long *)s,i,sizeof(int),10);
TRCGEN(0,HKWD_CUSTOM|0x20,strlen(s1),strlen(s1),(char *)s1);
i[5]=20;
TRCHKL3(HKWD_CUSTOM+0x1,i+j,j,k);
}
END
cat >first.c <<'END'
#include <sys/types.h>
#include <sys/trchkid.h>
#include <stdio.h>

#define HKWD_CUSTOM 0x01000000
main()
{
int *i;
i=malloc(sizeof(int)*10);
/* logs a trace entry with 3 datawords passed as argument after HKWD_CUSTOM */
TRCHKL3(HKWD_CUSTOM,sizeof(int),i,10);
}
END
cat >mytrace <<'END'
010 1.0 L=APPL "MyCustomHook" \
$GENERIC,\
0 {\
    $HD%D1,\
        0 { "Activity="G8 A10 \ 
		"Address=0x"$D2 {{ $total_size = $D3 * $D4 }} \
		"Size="$total_size%D4 },\
        1 { "Address=0x"$D1 "Array Index="$D2%D4 "Value="$D3%D4 },\
        \* {"Undefined Hook with subhook id = "$HD%D1 }\
    },\
1 { "String Length=" $D1%D4 {{ $loopcnt = $HL }} G16 LOOP $loopcnt {A0} }
END
echo '010 1.0 L=APPL "Single" "Unit:"$D1 "Address:"$D2 "Count:"$D3' >single
for options in "" "-O2" "-no-pie -fno-pie" "-static"; do
	# shellcheck disable=SC2086
	succeeds "the article's program compiles unchanged (cc $options)" cc -std=gnu89 -w $options -I"$tests/../include" -o myc myc.c
	./myc
	is "and runs unrecorded" 0 "$(($? > 127))"
	[ "$options" != -static ] || continue
	record article -p off -- ./myc
	trcrpt article -h -d 010 -t mytrace
	sed -E 's/^010   [0-9]+\.[0-9]{9} +[0-9]+\.[0-9]{6}   /010   E    D   /; s/0x[0-9A-F]+/0xA/' article.txt >plain
	is "the article's three lines ($options)" "010   E    D   MyCustomHook Activity=malloc Address=0xA Size=40
010   E    D   MyCustomHook String Length=17 successful malloc
010   E    D   MyCustomHook Address=0xA Array Index=5 Value=20" "$(cat plain)"
done
contains "to the character, but for times and addresses" '^010   0\.[0-9]{9} {1,4}[0-9]+\.[0-9]{6}   MyCustomHook Activity' article.txt
is "the first difference is the first time" "$(awk 'NR == 1 { printf "%.6f", $2 * 1000 }' article.txt)" "$(awk 'NR == 1 { print $3 }' article.txt)"
trcrpt article -t mytrace
is "the heading is the article's" "ID    ELAPSED_SEC    DELTA_MSEC   APPL    SYSCALL KERNEL  INTERRUPT" "$(grep '^ID' article.txt)"
contains "the trace is switched on" '^001   0\.000000000    0\.000000 +TRACE ON channel 0$' article.txt
contains "and off" '^002 .* TRACE OFF channel 0$' article.txt
cc -std=gnu89 -w -I"$tests/../include" -o first first.c
record first -p off -- ./first
trcrpt first -h -d 010 -t /dev/null
is "/dev/null as the template file is refused" 1 $?
trcrpt first -h -d 010
sed -E 's/ +[0-9]+\.[0-9]+/ T/g; s/0000[0-9A-F]{12} 000000000000000A/ADDRESS 000000000000000A/; s/idx 0x[0-9a-f]+/idx 0xI/' first.txt >plain
is "an event without template, as the article shows it" "010 T T   UNDEFINED TRACE ID idx 0xI
                                traceid 0100 hookword 8000002801000000 type 8000
                                hookdata 0000 0000000000000004
                                ADDRESS 000000000000000A" "$(cat plain)"
trcrpt first -h -d 010 -t single
is "Single Unit" "Single Unit:0004 Address:X Count:000A" "$(cut -c33- first.txt | sed -E 's/Address:[0-9A-F]+/Address:X/')"

cat >every.c <<'END'
#include <sys/trchkid.h>
int main(void)
{
	int i = trcstart("-a");
	TRCHKL0(HKWD_USER1); TRCHKL1(HKWD_USER1, 1); TRCHKL2(HKWD_USER1, 1, 2); TRCHKL3(HKWD_USER1, 1, 2, 3); TRCHKL4(HKWD_USER1, 1, 2, 3, 4);
	TRCHKL5(HKWD_USER1, 1, 2, 3, 4, &i); TRCHKL0T(HKWD_USER1); TRCHKL1T(HKWD_USER1, 1); TRCHKL2T(HKWD_USER1, 1, 2);
	TRCHKL3T(HKWD_USER1, 1, 2, 3); TRCHKL4T(HKWD_USER1, 1, 2, 3, 4); TRCHKL5T(HKWD_USER1, 1, 2, 3, 4, 5);
	TRCHKG(HKWD_USERF, 1, 2, 3, 4, 5); TRCHKGT(HKWD_USERF, 1, 2, 3, 4, 5);
	TRCGEN(0, HKWD_USER1, 1, 3, "abc"); TRCGENT(7, HKWD_USER1, 1, 3, "abc"); TRCGEN(8, HKWD_USER1, 1, 3, "abc");
	trchook(HKWD_USER2, 1, 2, 3, 4, 5); utrchook(HKWD_USER2, 1, 2, 3, 4, 5);
	trchook64(0x8000003802000000ull, 1, 2, 3, 4, 5); utrchook64(HKWD_USER2, 1, 2, 3, 4, 5);
	trcgen(1, HKWD_USER3, 1, 4, "abcd"); trcgent(1, HKWD_USER3, 1, 0, NULL);
	return trc_ishookon(0, HKWD_USER1) == (i == 0) && trcstop(0) == 0 && trccomponent("none", 1) == -1 ? 0 : 1;
}
END
for compiler in "gcc -std=c99" "gcc ${m32[*]}" "g++ -x c++" "clang" "clang++ -x c++"; do
	needs "the header in $compiler" "" "${compiler%% *}" || continue
	if [[ $compiler == *-m32* ]] && ! makes_32 gcc; then
		skip "the header in a program of 32 bits" "gcc -m32 does not work"
		continue
	fi
	# shellcheck disable=SC2086
	succeeds "${compiler% -idirafter*} takes the header without a warning" $compiler -Wall -Wextra -Werror -O1 -I"$tests/../include" -o every every.c
	./every
	is "and the program runs unrecorded" 0 $?
	[[ $compiler != *-m32* ]] || continue
	rm -rf every.er
	record every -p off -- ./every
	is "and recorded" 0 $?
	is "every form is recorded" "14 2 4 2" "$(events every 010) $(events every 0f0) $(events every 020) $(events every 030)"
done

# ---- a program with its own templates
record work -p off -- "$programs/user_work" 3 4
is "the program knows that it is recorded" "on 1" "$(cat work.out)"
"$programs/user_work" >plain
is "and that it is not" "on 0" "$(cat plain)"
for expected in 020:24 021:12 022:12 023:12 024:2 001:1 002:1; do
	is "events of hook ${expected%:*}" "${expected#*:}" "$(events work "${expected%:*}")"
done
is "events of one sub-id" 4 "$(events work 023:2)"
is "all but some" 6 "$("$xer_trcrpt" -h -r -k 020,021,022,023:1,023:2 work.er | grep -c '^02')"
trcrpt work -t "$tests/programs/user_work.trc"
is "the report exits 0" 0 $?
contains "bitflags of the first job of an odd thread" '   Job begin 1000 flags=F-O$' work.txt
contains "and of the last of an even one" '   Job begin 2003 flags=-L-$' work.txt
is "each job's timer gives a time of a millisecond or more" 12 "$(grep -cE 'Job end [0-9]+ took \[([1-9][0-9]{3,} usec|[0-9]+ msec)\]$' work.txt)"
contains "text of generic events, in the column of system calls" "^021 .{36}Text 3002 'job 3002'\$" work.txt
contains "a real number and an error" 'half=5\.00000000E-01 error=ENOENT$' work.txt
contains "a second line stands below the first" '^ {56}step 2 in work$' work.txt
contains "a subroutine" 'The end called hook 024 environment 0040$' work.txt
contains "another channel" 'The end of channel three$' work.txt
trcrpt work -h -t "$tests/programs/user_work.trc" -d 023 -T 1
is "no such thread: nothing" 0 "$(wc -l <work.txt)"
trcrpt work -h -x user_work -d 024 -O pid=on,tid=on,exec=on,cpuid=on,timestamp=1
contains "columns of process, thread and CPU" '^024 user_work +[0-9]+ +[0-9]+ +[0-9]+ +0\.[0-9]{6}   UNDEFINED' work.txt
trcrpt work -h -p nobody,1
is "another process: nothing" 0 "$(wc -l <work.txt)"
trcrpt work --json -t "$tests/programs/user_work.trc"
if needs "JSON" 1 python3; then
	is "JSON" "64 work" "$(python3 -c 'import json, sys
events = json.load(open(sys.argv[1]))["events"]
print(len(events), [e["text"] for e in events if e["id"] == "023"][0].split()[-1])' work.txt)"
fi
report work -trcrpt "-h -d 024 -t $tests/programs/user_work.trc"
is "the same in xer_print" 2 "$(grep -c 'The end' work.txt)"
trcrpt work -h -O starttime=1000
is "a window of time" 0 "$(wc -l <work.txt)"
trcrpt work -h -O hist=on -d 020
contains "counts by hook" '^020 +24 ' work.txt

report work -hooks
contains "a table of hooks" '^020 +0001 +12 +192 ' work.txt
report work -hookpairs "020:1 020:2 D1"
contains "pairs by a data word" '^ *Pairs +12$' work.txt
within "the time between" 0.012 5 "$(awk '/^ *Time between/ { print $(NF - 1) }' work.txt)"
report work -hookpairs "020:1 020:2"
contains "pairs by thread" '^ *Pairs +12$' work.txt
report work -hookpairs "022 020:2"
contains "pairs of different hooks" '^ *Pairs +12$' work.txt
report work -hookpairs "020"
is "half a pair is refused" 2 $?
report work -filters "HOOK == 0x020 && D1 >= 2000 && D1 < 3000" -hooks -trcrpt "-h -r"
contains "filters know hooks and data words" '^020 +0001 +4 ' work.txt
is "and choose what is printed" 8 "$(grep -cE '^020 +[0-9]+\.[0-9]+ +[0-9]+\.[0-9]+   80' work.txt)"
report work -metrics e.userevents:name -threads
contains "user events by thread" '^ *20 +Process 1, Thread 2' work.txt
report work -trcrpt '""'
contains "no options" 'UNDEFINED TRACE ID' work.txt

# ---- templates
printf '010 1.0 "x" F3\n011 1.0 "y" {\n' >bad
"$xer_trcrpt" -c -t bad >out 2>err
is "a bad template file fails" 1 $?
is "with all its errors" "bad:1: the format code has no such size (near 'F3')
bad:2: '{' has no meaning here (near '{')" "$(head -2 err)"
trcrpt work -t bad
is "nothing is formatted with it" "1 0" "$? $(wc -l <work.txt)"
succeeds "the default templates are good" "$xer_trcrpt" -c
succeeds "the test's templates are good" "$xer_trcrpt" -c -t "$tests/programs/user_work.trc"
"$xer_trcrpt" -j -t "$tests/programs/user_work.trc" >out
is "ids and labels" "020   Job|021   Text|022   |023   Thread|024   The end|025   called|" "$(tr '\n' '|' <out)"
"$xer_trcrpt" -Z 2>/dev/null
is "an unknown option" 2 $?

# ---- updates
cp "$tests/programs/user_work.trc" lib.trc
printf '* lib.trc\n+030 1.0 L=APPL "new"\n+024 2.0 "changed"\n-021\n' >change
"$xer_trcrpt" -update change -t lib.trc >out
is "an update says what it did" "lib.trc: 1 added, 1 replaced, 1 deleted, 0 left as they are; change.undo takes that back" "$(cat out)"
is "the templates are changed" "020   Job|022   |023   Thread|024   changed|025   called|030   new|" "$("$xer_trcrpt" -j -t lib.trc | tr '\n' '|')"
"$xer_trcrpt" -update change.undo -t lib.trc >out
is "and back" "$("$xer_trcrpt" -j -t "$tests/programs/user_work.trc")" "$("$xer_trcrpt" -j -t lib.trc)"
cp lib.trc before
printf -- '-020\n-099\n' >change
"$xer_trcrpt" -update change -t lib.trc 2>err
is "an update with an error does nothing" "1 same" "$? $(cmp -s lib.trc before && echo same)"

# ---- selection when recording
record some -p off --hooks=020:1,0240 -- "$programs/user_work" 2 3
is "only selected hooks and sub-ids" "6 0 2" "$(events some 020) $(events some 021) $(events some 024)"
record none -p off --hooks=off -- "$programs/user_work" 2 3
[ ! -e none.er/usertrace ] && ok "--hooks=off records nothing" || not_ok "--hooks=off records something"
record but -p off --no-hooks=020,021 -- "$programs/user_work" 2 3
is "all but some hooks" "0 0 6" "$(events but 020) $(events but 021) $(events but 022)"
succeeds "a group is defined" "$xcollect" --group=jobs:020,021:what\ work\ does
is "and listed" 'jobs - what work does (user) "020,021"' "$("$xcollect" --groups)"
record group -p off --hooks=@jobs -- "$programs/user_work" 2 3
is "and used" "12 6 0" "$(events group 020) $(events group 021) $(events group 022)"
succeeds "and deleted" "$xcollect" --delete-group=jobs
"$xcollect" --hooks=@jobs true 2>err
is "a group that is not there" 125 $?

# ---- switches
record pause -p off -- "$programs/user_work" 1 4 pause
is "the program switches off and on" "2 4 2 2" "$(events pause 021) $(events pause 020) $(events pause 001) $(events pause 002)"
record late -p off --trace-start=off -- "$programs/user_work" 1 4 pause
is "a trace that begins when the program says so" "0 2" "$(events late 021) $(events late 024)"
"$xcollect" -o signal.er -p off --trace-start=off --trace-signal=USR2 "$programs/user_work" 1 300 >/dev/null 2>&1 &
pid=$!
sleep 0.15
kill -USR2 $pid
sleep 0.1
kill -USR2 $pid
wait $pid
is "a signal switches, and the program ends well" 0 $?
within "some events are there" 5 250 "$(events signal 021)"

# ---- modes: which events are kept
record ring -p off --trace-mode=circular:0.25 -- "$programs/user_cost" 100000
trcrpt ring -h -d 010 -r
is "a ring keeps the newest event" "$(printf '%016X' 99999)" "$(awk '!/^#/ { last = $5 } END { print last }' ring.txt)"
kept=$(grep -vc '^#' ring.txt)
is "and all from some event on" $((100000 - kept)) $((16#$(awk 'NR == 1 { print $5 }' ring.txt)))
trcrpt ring -h -d 024
is "the rest is counted" "# $((100000 - kept)) events gave their place to newer ones" "$(cat ring.txt)"
within "the file has the size asked for" 200000 270000 "$(stat -c %s ring.er/usertrace)"
record full -p off --trace-mode=single:0.25 -- "$programs/user_cost" 100000
trcrpt full -h -d 010 -r
kept=$(grep -vc '^#' full.txt)
is "a single trace keeps the first event" "$(printf '%016X' 0)" "$(awk 'NR == 1 { print $5 }' full.txt)"
is "and all up to some event" $((kept - 1)) $((16#$(awk '!/^#/ { last = $5 } END { print last }' full.txt)))
contains "and says that it is full" '^# 1 traces ended because they were full$' full.txt
contains "and what is lost" "^# $((100000 - kept)) events were lost\$" full.txt
record all -p off -- "$programs/user_cost" 100000
is "else all are kept" 100000 "$(events all 010)"

# ---- pauses of the recording as a whole
cat >paused.c <<'END'
#include <collectorAPI.h>
#include <sys/trchkid.h>
int main(void)
{
	long i;
	for (i = 0; i < 3000; i++)
		TRCHKL1(HKWD_USER1, i);
	collector_pause();
	for (i = 0; i < 100; i++)
		TRCHKL1(HKWD_USER2, i);
	trcoff(0);
	trcon(0);
	TRCHKL0(HKWD_USER2);
	collector_resume();
	for (i = 3000; i < 20000; i++)
		TRCHKL1(HKWD_USER1, i);
	trcoff(0);
	collector_pause();
	collector_resume();
	TRCHKL0(HKWD_USER3);
	return 0;
}
END
cc -I"$tests/../include" -o paused paused.c
for mode in alternate circular:0.5 circular:0.25; do
	rm -rf paused.er
	record paused -p off --trace-mode=$mode -- ./paused
	is "$mode: the program ends well" 0 $?
	trcrpt paused -h -r -d 010,020,030
	gone=$(sed -n 's/^# \([0-9]*\) events gave.*/\1/p' paused.txt)
	absent "$mode: nothing of a pause, nor of a trace that is off, is recorded" -E '^0[23]0' paused.txt
	is "$mode: the newest event is there" "$(printf '%016X' 19999)" "$(awk '/^010/ { last = $5 } END { print last }' paused.txt)"
	kept=$(grep -c '^010' paused.txt)
	# One of the overwritten events may be the one that switched.
	within "$mode: all else is there, or counted" 20000 20001 $((kept + ${gone:-0}))
done

# ---- components
record parts -p off --component=jobs:020,021:mode=circular:size=0.1 --component=ends:024:off -- "$programs/user_work" 2 100
is "a component has its hooks" "400 200" "$(events parts 020) $(events parts 021)"
is "one that is off records nothing" 0 "$(events parts 024)"
is "the system trace has the others" 200 "$(events parts 022)"
[ -s parts.er/usertrace1 ] && [ ! -e parts.er/usertrace2 ] && ok "each in its file" || not_ok "each in its file"
if needs "llvm-xray reads user events" 4 llvm-xray; then
	for file in ring.er/usertrace full.er/usertrace parts.er/usertrace parts.er/usertrace1; do
		succeeds "llvm-xray reads $file" timeout 60 llvm-xray fdr-dump -verify $file
	done
fi

# ---- a killed process
"$xcollect" -o killed.er -p off "$programs/user_work" 2 10000 >/dev/null 2>&1 &
pid=$!
sleep 0.3
kill -KILL $pid
{ wait $pid; } 2>/dev/null
within "its events are there" 20 2000 "$(events killed 021)"
