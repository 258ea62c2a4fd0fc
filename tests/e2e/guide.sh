# The guide (doc/guide): every command of every page runs, in the order of the page, and prints lines of the shape
# that the page shows: the same text with other figures, in the same order; "..." stands for anything.
house=$(realpath "$(dirname "$0")/../..")
. "$(dirname "$0")/lib.sh"
PATH=$PWD/commands:$BUILD/bin:$PATH
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
unset MAKEFLAGS MFLAGS MAKELEVEL
mkdir commands
printf '#!/bin/sh\nexec %s "$@"\n' "${CC:-gcc}" >commands/cc
chmod +x commands/cc

# blocks PAGE: its code that is shown as a console, one line each, as BLOCK<tab>LINE
blocks()
{
	awk '/^```/ { inside = $0 == "```console"; number += inside; next } inside { print number "\t" $0 }' "$1"
}

# shape EXPECTED ACTUAL: the first line of EXPECTED that is not in ACTUAL behind the one before; nothing if all are
shape()
{
	awk 'function plain(text) {
			gsub(/0x[0-9A-Fa-f]+/, "N", text); gsub(/[0-9]+(\.[0-9]+)?/, "N", text)
			gsub(/[ \t]+/, " ", text); sub(/^ /, "", text); sub(/ $/, "", text)
			return text
		}
		function fits(line, wanted, parts, count, i, at) {
			if (index(wanted, "...") == 0 || wanted ~ /^Creating/) return line == wanted
			count = split(wanted, parts, / ?\.\.\. ?/)
			for (i = 1; i <= count; i++) {
				if (parts[i] == "") continue
				at = index(line, parts[i])
				if (at == 0) return 0
				line = substr(line, at + length(parts[i]))
			}
			return 1
		}
		NR == FNR { if ($0 != "...") wanted[++wants] = plain($0); next }
		{ if (met < wants && fits(plain($0), wanted[met + 1])) met++ }
		END { if (met < wants) print wanted[met + 1] }' "$1" "$2"
}

# missing LINES: a program that they need and that is not here
missing()
{
	local program
	for program in node javac mpicc mpirun python3 sqlite3; do
		if grep -qw -- "$program" "$1" && ! have "$program"; then
			echo "$program"
			return
		fi
	done
	! grep -q -e -fopenmp "$1" || echo 'int main(void) { return 0; }' | cc -fopenmp -x c -o /dev/null - 2>/dev/null || echo "OpenMP"
}

# try PAGE COMMAND EXPECTED: run it, and hold what it prints against the page
try()
{
	timeout 60 bash -c "$2" >out.txt 2>&1 </dev/null
	local status=$? line
	[[ $2 != *-check* || $status != 3 ]] || status=0
	[ $status = 0 ] || head -5 out.txt
	is "$1: $2" 0 $status
	line=$(shape "$3" out.txt)
	# A page that shows "..." alone says that something is printed.
	[ -s out.txt ] || line=${line:-...}
	[ -z "$line" ] || head -40 out.txt
	[ ! -s "$3" ] || is "$1: $2: prints what the page shows" "" "$line"
}

# follow PAGE: do what its blocks say
follow()
{
	local page=$1 count number what command=''
	blocks "$house/doc/guide/$page" >page.txt
	count=$(tail -1 page.txt | cut -f 1)
	for ((number = 1; number <= ${count:-0}; number++)); do
		sed -n "s/^$number\t//p" page.txt >block.txt
		what=$(missing block.txt)
		if [ -n "$what" ]; then
			skip "$page: $(head -1 block.txt)" "no $what here" "$(grep -c '^\$ ' block.txt)"
			continue
		fi
		command=''
		: >expected.txt
		while IFS= read -r line; do
			case $line in
			'$ '*)
				[ -z "$command" ] || try "$page" "$command" expected.txt
				command=${line#'$ '}
				: >expected.txt
				;;
			*) printf '%s\n' "$line" >>expected.txt ;;
			esac
		done <block.txt
		try "$page" "$command" expected.txt
	done
}

# Each page begins in a directory that has the guide's programs.
pages=0
for page in "$house"/doc/guide/*.md; do
	page=$(basename "$page")
	mkdir "${page%.md}"
	cp "$house"/doc/guide/programs/* "${page%.md}"
	cd "${page%.md}" || exit 1
	cc -g -O1 -pthread -o orders orders.c
	follow "$page"
	cd .. || exit 1
	pages=$((pages + 1))
done
is "every page of the guide was followed" 10 $pages

# The table of questions: each row is a recording and a report.
cd questions || exit 1
# shellcheck disable=SC2016
sed -n 's/^| .* | `\(xcollect [^`]*\)` | `\(xer_print [^`]*\)` |$/\1\t\2/p' "$house/doc/guide/questions.md" >rows.txt
is "the table of questions has rows" 16 "$(wc -l <rows.txt)"
: >none.txt
while IFS=$'\t' read -r record print; do
	rm -rf test.1.er
	try questions "$record" none.txt
	try questions "$print" none.txt
	[ -s out.txt ] || [[ $print == *-report* ]]
	is "questions: $print: prints something" 0 $?
done <rows.txt
cd .. || exit 1
