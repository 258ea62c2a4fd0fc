# Behaviour on a (pseudo) terminal: pager, colour, progress, prompt; and none of them elsewhere.
golden=$(realpath "$(dirname "$0")/../golden")
. "$(dirname "$0")/lib.sh"
cp -r "$golden/profile.er" "$golden/heap.er" .
have script || { skip "manners on a terminal" "no script"; exit 0; }
unset PAGER NO_COLOR LESS
esc=$'\033'

# terminal ROWS COMMAND: run a shell command on a terminal with ROWS rows; what it shows goes to shown.txt
terminal()
{
	local rows=$1
	shift
	TERM=xterm timeout -k 5 $((60 * patience)) script -qec "stty rows $rows cols 200; $*" /dev/null </dev/null >shown.txt 2>&1
}

# ---- the pager, only if the screen is too small
"$xer_print" -functions profile.er >plain.txt
export XER_PAGER="cat >paged.txt"
terminal 10 "$xer_print -functions profile.er"
is "what is longer than the screen goes through XER_PAGER" 0 $?
sed "s/$esc\[[0-9;]*m//g" paged.txt | cmp -s - plain.txt
is "all of it" 0 $?
rm -f paged.txt
terminal 200 "$xer_print -functions profile.er"
[ ! -e paged.txt ]
is "what fits does not" 0 $?
contains "but stands on the screen" 'work_a' shown.txt
"$xer_print" -callers profile.er >/dev/null
[ ! -e paged.txt ]
is "without a terminal there is no pager" 0 $?
terminal 10 "$xer_print -outfile file.txt -functions profile.er"
[ ! -e paged.txt ] && cmp -s file.txt plain.txt
is "output to a file takes no pager and no colour" 0 $?
terminal 10 "$xer_print -functions -outfile file.txt -functions -outfile - -limit 1 -functions profile.er"
sed "s/$esc\[[0-9;]*m//g" paged.txt | cmp -s - plain.txt && cmp -s file.txt plain.txt
is "back and forth" 0 $?
rm -f paged.txt
export XER_PAGER="exit 0"
terminal 5 "$xer_print -callers -functions -fsummary profile.er"
is "who leaves the pager has seen enough" 0 $?
export XER_PAGER=
terminal 5 "$xer_print -functions profile.er"
contains "an empty XER_PAGER is none" 'split' shown.txt
export PAGER="cat >paged.txt"
unset XER_PAGER
terminal 5 "$xer_print -functions profile.er"
[ -s paged.txt ]
is "PAGER is taken if XER_PAGER is not set" 0 $?
rm -f paged.txt
unset PAGER
if have less; then
	# It is told to go to the end and to quit, as nobody is there to press keys.
	terminal 30 "LESS=RX+Gq $xer_print -limit 3 -functions -limit 4 -functions -limit 3 -functions profile.er"
	contains "less passes colours on" "$esc\[1;31m.*work_a" shown.txt
else
	skip "less passes colours on" "no less"
fi
export XER_PAGER=

# ---- colour
terminal 50 "$xer_print -functions profile.er"
contains "headings are bold" "$esc\[1mExcl\." shown.txt
contains "hot rows are red" "$esc\[1;31m.*work_a" shown.txt
grep -q "$esc\[1;31m.*work_d" shown.txt
is "others are not" 1 $?
for setting in NO_COLOR=1 TERM=dumb; do
	terminal 50 "$setting $xer_print -functions profile.er"
	grep -q "$esc" shown.txt
	is "$setting: no colour" 1 $?
done
terminal 50 "NO_COLOR= $xer_print -functions profile.er"
contains "an empty NO_COLOR says nothing" "$esc\[1m" shown.txt
grep -q "$esc" plain.txt
is "without a terminal there is no colour" 1 $?
terminal 50 "$xer_print -printmode json -functions profile.er"
grep -q "$esc" shown.txt
is "nor in JSON" 1 $?

# ---- a narrow terminal
# narrow COLUMNS COMMAND: the same on a terminal with COLUMNS columns
narrow()
{
	local columns=$1
	shift
	TERM=dumb timeout -k 5 $((60 * patience)) script -qec "stty rows 500 cols $columns; $*" /dev/null </dev/null 2>&1 | tr -d '\r' >shown.txt
}
# widest: the length of the longest row of a table; names that would look alike when cut are printed whole, and such are those of code
# without line numbers
widest() { grep '^ *[0-9]' shown.txt | grep -v 'instructions without line numbers>$' | awk '{ if (length($0) > most) most = length($0) } END { print most + 0 }'; }
narrow 46 "$xer_print -metrics e.%totalcpu:i.%totalcpu:name -lines profile.er"
[ "$(widest)" -le 46 ]
is "names of a table fit on the terminal" 0 $?
contains "they lose their middle" ' work_a.*[.][.][.]' shown.txt
narrow 44 "$xer_print -metrics e.totalcpu:e.user:e.system:name -functions profile.er"
contains "headings are broken" '^Total +User +System *$' shown.txt
contains "in two lines" '^CPU +CPU +CPU *$' shown.txt
narrow 500 "$xer_print -lines profile.er"
"$xer_print" -lines profile.er | cmp -s - shown.txt
is "where there is room all is as in a file" 0 $?
narrow 40 "COLUMNS=500 $xer_print -lines profile.er"
"$xer_print" -lines profile.er | cmp -s - shown.txt
is "COLUMNS says how wide it is" 0 $?
narrow 40 "COLUMNS=0 $xer_print -leaks heap.er"
"$xer_print" -leaks heap.er | cmp -s - shown.txt
is "0: nothing is cut" 0 $?
narrow 40 "$xer_print -leaks heap.er"
is "frames of stacks fit too" 0 "$(grep '^  ' shown.txt | awk 'length($0) > 40' | wc -l)"
COLUMNS=30 "$xer_print" -lines profile.er >file.txt
"$xer_print" -lines profile.er | cmp -s - file.txt
is "off a terminal nothing is cut" 0 $?

# ---- the prompt
printf 'limit 3\nfunctions\nfunctons\nquit\n' >keys.txt
TERM=xterm timeout -k 5 $((60 * patience)) script -qec "$xer_print profile.er" /dev/null <keys.txt >shown.txt 2>&1
is "a slip at the prompt is no failure" 0 $?
contains "there is a prompt" '\(xer_print\) ' shown.txt
contains "and the table" 'work_a' shown.txt
contains "a misspelt command is reported" "did you mean 'functions'" shown.txt

# typed KEYS: what is shown after keys at the prompt; a pause lets the program put the terminal into its mode
typed()
{
	(sleep 0.3; printf "$1"; sleep 0.3) | TERM=xterm timeout -k 5 60 script -qec "$xer_print profile.er" /dev/null >shown.txt 2>&1
}
export XDG_STATE_HOME=$PWD/state
typed 'limit 3\ncsing work_b\t\nquit\n'
contains "Tab completes a function" 'work_b .*split|\*work_b' shown.txt
contains "lines are kept in XDG_STATE_HOME" '^limit 3$' state/xer/history
is "by the user alone" 600 "$(stat -c %a state/xer/history)"
typed '\022lim\033\nlimit\nquit\n'
contains "Ctrl-R finds one of an earlier run" 'Current limit: 3' shown.txt
typed 'help leaks\nquit\n'
contains "help prints what the manual says" 'The blocks that were not freed until the end' shown.txt

# ---- progress: only for commands that take long (tests/unit/analyzer/base/terminal.c), and only on a terminal
terminal 50 "$xer_print -functions profile.er 2>message.txt"
is "quick commands show no progress" "" "$(cat message.txt)"
"$xer_print" -functions profile.er 2>message.txt >/dev/null
is "nor without a terminal" "" "$(cat message.txt)"

# ---- a full disk, a reader of the output that goes away
"$xer_print" -functions profile.er >/dev/full 2>message.txt
is "a full disk is an error" 1 $?
contains "and a message says so" 'cannot write the output' message.txt
for form in json csv html; do
	"$xer_print" -printmode $form -functions profile.er >/dev/full 2>message.txt
	is "also as $form" 1 $?
done
(set +o pipefail; "$xer_print" -fsummary -callers -fsummary -fsummary -fsummary profile.er 2>message.txt | head -1 >/dev/null)
is "a reader that goes ends it silently" "" "$(cat message.txt)"

# ---- the line that a recording ends with
terminal 50 "$xcollect -A on -o closing.er ls"
contains "a recording ends with a line that leads on" \
	'^closing.er: [0-9.]* kB of data, [0-9.]* MB of libraries and sources. Read it: xer_print -overview closing.er.$' shown.txt
terminal 50 "$xcollect -o closed.er ls >/dev/null; printf 'then %s' this"
is "also that of a program without output, before the shell goes on" "closed.er: then this" \
	"$(grep -o '^closed.er: \|^then this' shown.txt | tr -d '\n')"
terminal 50 "$xcollect -o moved.er sh -c 'cd .. && exec ls'"
contains "the name is the user's, wherever the program is at its end" "Read it: xer_print -overview moved.er" shown.txt
terminal 50 "$xcollect -d $PWD/.. -o elsewhere.er ls; rm -rf ../elsewhere.er"
contains "an experiment elsewhere has its whole path" "Read it: xer_print -overview $(dirname "$PWD")/elsewhere.er" shown.txt
terminal 50 "$xcollect -o tree.er sh -c 'ls; ls; true'"
is "a tree of processes has one such line" 1 "$(grep -c 'Read it:' shown.txt)"
terminal 50 "sleep 30 & $xcollect -P \$! -t 0.2 -o entered.er; kill \$!; true"
is "a process that was entered leaves one, too" 1 "$(grep -c '^entered.er: .* Read it: xer_print -overview entered.er.$' shown.txt)"
terminal 50 "stty tostop; sleep 30 & $xcollect -P \$! -t 0.2 -A off -o stopped.er; kill \$!; true"
is "also without archives, on a terminal that stops those in the background" 1 "$(grep -c '^stopped.er: .* Read it: ' shown.txt)"
terminal 50 "true; $xcollect -o own.er setsid ls; true"
is "a session of its own gets none" 0 "$(grep -c 'Read it:' shown.txt)"
terminal 50 "$xcollect -o elsewhere.er ls 2>message.txt"
is "nor who has sent messages elsewhere" 0 "$(cat shown.txt message.txt | grep -c 'Read it:')"
terminal 50 "set -m; $xcollect -o behind.er ls & wait; stty tostop; $xcollect -o tostop.er ls & wait"
is "nor a job in the background" 0 "$(grep -c 'Read it:' shown.txt)"
terminal 50 "$xcollect -A off -o without.er ls"
is "nor what is not archived" 0 "$(grep -c 'Read it:' shown.txt)"
"$xcollect" -o silent.er ls >message.txt 2>&1
is "without a terminal there is none" 0 "$(grep -c 'Read it:' message.txt)"
