# lib.sh: what the end-to-end tests share. Each test is run as `bash NAME.sh DIRECTORY` with BUILD set, and sources this file.
# It works in its own empty directory and prints "ok CLAIM", "not ok CLAIM: ..." and "skip CLAIM: REASON" lines.
set -u
unset "${!XER_@}"
export LC_ALL=C
cd "$1" || exit 1
# The user's own settings are not part of a test.
export HOME=$PWD
xcollect=$BUILD/bin/xcollect
# Where the readers are; another build of them can be given.
readers=${READERS:-$BUILD/bin}
xer_print=$readers/xer_print
xer_archive=$readers/xer_archive
programs=$BUILD/tests/programs

# limited SECONDS COMMAND...: end it if it hangs. On a busy machine it may take longer (run-e2e says how much).
patience=${E2E_PATIENCE:-1}
limited() { timeout -k 5 $(($1 * patience)) "${@:2}"; }

ok() { echo "ok $1"; }
# E2E_FAIL_FAST: stop at the first failure, for callers that only ask whether anything fails.
not_ok()
{
	echo "not ok $1"
	[ -z "${E2E_FAIL_FAST:-}" ] || exit 1
}

# skip CLAIM REASON [COUNT]: what is not tested here, why, and how many claims that is
skip() { echo "skip $1${3:+ ($3 claims)}: $2"; }

# Bash calls this for a command that it does not find, even where standard error is a file: a misspelt claim must not go
# unnoticed.
# shellcheck disable=SC2317
command_not_found_handle()
{
	echo "$1" >>"${E2E_MISSING:-/dev/null}"
	echo "$1: command not found" >&2
	return 127
}

for program in "$xcollect" "$xer_print" "$xer_archive"; do
	[ -x "$program" ] || { not_ok "$program is built"; exit 1; }
done

# Tools that do nothing would seem to pass many tests, so a script ends here if they do. UNGATED (of tests/run-null) lets it go
# on, to show which claims hold even then.
if [ -z "${UNGATED:-}" ]; then
	"$xcollect" -p off -A off -o gate.er true >gate.out 2>&1
	"$xer_print" -header gate.er >>gate.out 2>&1
	"$xer_archive" -verify gate.er >>gate.out 2>&1
	if ! grep -q '^Command *true$' gate.out || ! grep -q ' missing; archived: ' gate.out; then
		not_ok "the tools record, print and verify"
		head -20 gate.out | sed 's/^/    /'
		exit 1
	fi
	rm -rf gate.er gate.out
fi

# must CLAIM EXPECTED ACTUAL: like `is`, but the script ends if it does not hold, as the claims after it would prove nothing
must()
{
	is "$@"
	[ "$2" = "$3" ] || exit 1
}

# wait_for COMMAND...: repeat it until it succeeds, for at most 10 s, or longer on a busy machine
wait_for()
{
	local i
	for ((i = 0; i < 200 * patience; i++)); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.05
	done
	return 1
}

# is CLAIM EXPECTED ACTUAL
is()
{
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1: expected '$2', got '$3'"; fi
}

# sampled CLAIM TRUTH SHOWN SAMPLES: a share in per cent is as exact as the number of samples allows: within five standard
# deviations, computed for half as many samples. The factor of two is there because on a busy machine the CPU time between samples
# varies, and samples of varying weight say about half as much as equal ones. SAMPLES is how many there should be, by the
# program's CPU time and the period, not how many there are, so that lost samples do not loosen the test. A share of 0 fails, and
# so do too few samples.
sampled()
{
	local low high
	read -r low high < <(awk -v p="$2" -v n="${4:-0}" 'BEGIN {
		reach = n > 0 ? 5 * sqrt(p * (100 - p) / (n / 2)) : 100
		print (p - reach > p / 5 ? p - reach : p / 5), (reach < 2 * p ? p + reach : -1)
	}')
	if [ "$high" = -1 ]; then
		not_ok "$1: ${4:-0} samples cannot tell a share of $2 %"
	else
		within "$1" "$low" "$high" "$3"
	fi
}

# due CPU-SECONDS [PERIOD-SECONDS]: how many clock samples there should be of that much CPU time: one each ms, but no more than
# the kernel has ticks, which the resolution of the coarse clock shows
due()
{
	local tick=0.004
	! have python3 || tick=$(python3 -c 'import time; print(time.clock_getres(6))')
	awk -v s="$1" -v p="${2:-0.001}" -v tick="$tick" 'BEGIN { print int(s / (p > tick ? p : tick)) }'
}

# within CLAIM LOW HIGH ACTUAL (numbers may have decimals)
within()
{
	if awk -v low="$2" -v high="$3" -v x="${4:-none}" 'BEGIN { exit !(x ~ /^-?[0-9.]+$/ && x + 0 >= low + 0 && x + 0 <= high + 0) }'; then
		ok "$1"
	else
		not_ok "$1: expected $2 to $3, got '${4:-}'"
	fi
}

# contains CLAIM PATTERN FILE: some line of FILE matches the extended regular expression
contains()
{
	if grep -qE -- "$2" "$3"; then ok "$1"; else not_ok "$1: no line like '$2' in:"; head -20 "$3" | sed 's/^/    /'; fi
}

# absent CLAIM GREP-ARGUMENT... FILE: FILE is not empty, and no line of it matches
absent()
{
	local claim=$1 file=${*: -1}
	shift
	if [ ! -s "$file" ]; then
		not_ok "$claim: $file is empty"
	elif grep -q "$@"; then
		not_ok "$claim: there is a line like it in:"
		grep "$@" | head -5 | sed 's/^/    /'
	else
		ok "$claim"
	fi
}

# recorded CLAIM NAME: NAME.er holds a recording; if not, the claim fails here, as further tests of it would prove nothing
recorded()
{
	[ -s "$2.er/log.xml" ] && return
	not_ok "$1: $2.er is no recording"
	return 1
}

# succeeds CLAIM COMMAND...
succeeds()
{
	local claim=$1
	shift
	if "$@" >command.out 2>&1; then ok "$claim"; else not_ok "$claim: exit status $? of $*"; head -20 command.out | sed 's/^/    /'; fi
}

# record NAME OPTION... -- PROGRAM ARGUMENT...: record into NAME.er; output to NAME.out, messages to NAME.err. Returns the
# program's exit status; 99 if there is neither an experiment nor a message.
record()
{
	local name=$1 options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	# Bash's own message about a signal is thrown away.
	{ limited 100 "$xcollect" -o "$name.er" "${options[@]}" "$@" >"$name.out" 2>"$name.err"; } 2>/dev/null
	local status=$?
	[ -e "$name.er" ] || [ -s "$name.err" ] || status=99
	return $status
}

# report NAME COMMAND...: run xer_print's commands on NAME.er; output to NAME.txt. Returns its exit status; 99 if it printed
# nothing at all, neither on standard output or error nor to a file.
report()
{
	local name=$1 status
	shift
	limited 100 "$xer_print" "$@" "$name.er" >"$name.txt" 2>"$name.txt.err"
	status=$?
	[ -s "$name.txt" ] || [ -s "$name.txt.err" ] || [[ " $* " == *" -export "* || " $* " == *" -outfile "* ]] || status=99
	return $status
}

# value NAME FUNCTION COLUMN: a number from the table in NAME.txt; the row is the first that ends in FUNCTION. Nothing if there is
# no such row. If there is no text at all, a word that equals no expected value.
value()
{
	[ -s "$1.txt" ] || echo "no text $RANDOM"
	awk -v name="$2" -v column="$3" 'substr($0, length($0) - length(name)) == " " name { print $column; exit }' "$1.txt"
}

# ---- traced calls

# calls NAME FUNCTION: the number of calls in the table of NAME.txt
calls() { value "$1" "$2" 3; }

# counted CLAIM NAME: the numbers that the program printed into NAME.out, as "function count", are those of the table
counted()
{
	local function count wrong=
	report "$2" -calls
	[ -s "$2.out" ] || wrong="the program printed nothing"
	while read -r function count; do
		[ "$(calls "$2" "$function")" = "$count" ] || wrong="$wrong $function: $count, $(calls "$2" "$function")"
	done <"$2.out"
	is "$1" "" "$wrong"
}

# chosen NAME PATTERNS PROGRAM...: "function count" of every function in the table, when PATTERNS choose the functions
chosen()
{
	local name=$1 patterns=$2
	shift 2
	rm -rf "$name.er"
	record "$name" -p off "--functrace=$patterns" -- "$@"
	report "$name" -calls
	awk 'NF == 11 && $3 ~ /^[0-9]+$/ { print $NF, $3 }' "$name.txt" | sort | xargs
}

# erased NAME: how many calls were erased, by the log
erased() { sed -n 's/.*name="calls_erased" value="\([0-9]*\)".*/\1/p' "$1.er/log.xml"; }

# have PROGRAM...: true if all of them can be run. E2E_WITHOUT lists programs to treat as missing ("all": every one), to see what
# is skipped without them.
have()
{
	local program
	for program in "$@"; do
		[[ " ${E2E_WITHOUT:-} " != *" $program "* && ${E2E_WITHOUT:-} != all ]] || return 1
		command -v "$program" >/dev/null || return 1
	done
}

# 32-bit programs; their headers may partly be those of 64 bits (see build.mk)
m32=(-m32 -idirafter "/usr/include/$(gcc -print-multiarch 2>/dev/null)")

# makes_32 COMPILER: can it make them?
makes_32() { printf '#include <errno.h>\nint main(void) { return 0; }\n' | "$1" "${m32[@]}" -x c -o try - 2>/dev/null; }

# needs CLAIM COUNT PROGRAM...: like have, for COUNT claims (if known) that need these programs: without them the claims are
# skipped
needs()
{
	have "${@:3}" && return
	skip "$1" "${*:3} cannot be run" "$2"
	return 1
}

# builds WHAT COMMAND...: build something that a test needs; a failed claim if that does not work, no claim if it does
builds()
{
	local what=$1
	shift
	"$@" >command.out 2>&1 || { not_ok "$what: exit status $? of $*"; head -20 command.out | sed 's/^/    /'; }
}

# said_in FILE...: "said" if any of them has text, for claims that would also hold of a program that does nothing
said_in()
{
	local file
	for file in "$@"; do [ ! -s "$file" ] || { echo said; return; }; done
	echo nothing
}

# for_everyone: copy the recorder to where every user can read it, and set $everyones to that directory, which all may write to
# and which is removed at the end. The build itself may lie in a private home directory.
for_everyone()
{
	everyones=$(mktemp -d /tmp/xer-e2e-XXXXXX) || return
	trap 'rm -rf "$everyones"' EXIT
	mkdir "$everyones/lib"
	cp -r "$BUILD/bin" "$everyones" && cp -r "$BUILD/lib/xer" "$everyones/lib"
	chmod -R a+rX "$everyones"
	chmod 1777 "$everyones"
}

# others_come_here: may users who are nobody special search the working directory and all above it?
others_come_here()
{
	local at=$PWD
	while [ -n "$at" ]; do
		[[ "$(stat -c %A "$at")" == *[xt] ]] || return
		at=${at%/*}
	done
}

# ---- failing system calls

# errno numbers, as the injecting program takes them
errors=(ENOSPC=28 EIO=5 EMFILE=24 ENFILE=23 ENOMEM=12 EINTR=4 EACCES=13 EDQUOT=122)

# spread COUNT MOST: numbers from 1 to COUNT, at most MOST of them, spread evenly
spread()
{
	awk -v n="$1" -v most="$2" 'BEGIN { k = n < most ? n : most; for (i = 1; i <= k; i++) print int((i - 0.5) * n / k) + 1 }'
}

# planned CLAIM FUNCTION: run `FUNCTION NAME FIELD...` for each line of the file "plan", two at a time, each in its own directory
# NAME. FUNCTION prints what is wrong; the claim is that nothing is. The directory stays if something was printed.
planned()
{
	local worker
	for worker in 0 1; do
		local turn=0 fields wrong
		while read -ra fields; do
			[ $((turn++ % 2)) = $worker ] || continue
			mkdir "${fields[0]}" && cd "${fields[0]}" || exit
			wrong=$("$2" "${fields[@]}" 2>&1 </dev/null)
			cd .. || exit
			if [ -z "$wrong" ]; then rm -rf "${fields[0]}"; else echo "${fields[0]}: $wrong" | tr '\n' ' '; echo; fi
			echo run >>made.$worker
		done <plan >wrong.$worker &
	done
	wait
	cat wrong.0 wrong.1
	if [ -s plan ]; then
		is "every planned run was made" "$(wc -l <plan)" "$(cat made.* | wc -l)"
	else
		not_ok "every planned run was made: there is no plan"
		echo "no run" >wrong.0
	fi
	is "$1" 0 "$(cat wrong.0 wrong.1 | wc -l)"
	rm -f made.* plan wrong.*
}

# traces: may processes trace others here?
traces()
{
	"$programs/inject" traces /dev/null 28 0 1 true >/dev/null 2>&1
	[ $? != 120 ]
}
