# What xcollect itself does: names, notes, refusals, and its exit statuses 125, 126 and 127.
. "$(dirname "$0")/lib.sh"

# status CLAIM EXPECTED ARGUMENT...: also, the message is one line on stderr, and nothing is left behind
status()
{
	local claim=$1 expected=$2 before after
	shift 2
	before=$(ls)
	"$xcollect" "$@" >/dev/null 2>../options.err
	is "$claim" "$expected" $?
	after=$(ls)
	is "$claim: one line, and nothing is left" "1 $before" "$(grep -vc '^xcollect: warning\|^Creating' ../options.err) $after"
}

mkdir work && cd work || exit 1
status "no program is 125" 125 -p on
"$xcollect" >bare.out 2>bare.err
is "without a word, how to begin is said" "125 0 1" "$? $(wc -c <bare.out) $(grep -c '^  xer_print -overview test.1.er ' bare.err)"
rm bare.out bare.err
status "an unknown option is 125" 125 -q true
status "a bad value is 125" 125 -p sometimes true
status "an event of nobody is 125" 125 -h automatic true
status "a name without .er is 125" 125 -o name true
status "a directory that cannot be made is 125" 125 -o /nonexistent/x.er true
status "a program that is not found is 127" 127 no-such-program
status "a file that is not executable is 126" 126 /etc/passwd
status "a directory as a program is 126" 126 /
status "a static program is 126" 126 "$programs/static" exit 0
printf '\177ELF\001\001\001' >small && head -c 100 /dev/zero >>small && chmod +x small
status "a 32-bit program is 126" 126 ./small
if [ "$(id -u)" = 0 ]; then
	cp /bin/true setuid && chown nobody setuid && chmod u+s setuid
	if findmnt -no OPTIONS -T . | grep -q nosuid; then
		skip "a set-user-id program is 126" "the file system is mounted nosuid"
	else
		status "a set-user-id program is 126" 126 ./setuid
	fi
	rm -f setuid
else
	skip "a set-user-id program is 126" "needs root"
fi
rm -f small

"$xcollect" --help >help.txt 2>help.err
is "--help exits 0" 0 $?
contains "--help goes to stdout" '^usage: xcollect' help.txt
contains "--help has a blank before each value" '^  -h \[auto' help.txt
is "--help leaves stderr alone" "" "$(cat help.err)"
"$xcollect" -V >version.txt
contains "-V names the program" '^xcollect .*[0-9]' version.txt
"$xcollect" -n -o dry.er true 2>/dev/null
is "-n exits 0" 0 $?
[ ! -e dry.er ]
is "-n makes nothing" 0 $?
"$xcollect" -n -o dry.er --functrace='parse_*,depth=3' -t 0.2-5 -L 10 -y USR1,r -l USR2 --omp=on -j off true 2>dry.txt
is "-n says what else was asked for" "omp on, calls on; parse_*; depth 3, java off, from 200 ms, to 5000 ms, \
pauses signal 10; recording at the start, sample signal 12, limit 10 MiB" \
	"$(sed -nE 's/,/;/g; s/^(omp|java|calls|from|to|pauses|sample|limit) +/\1 /p' dry.txt | paste -sd, | sed 's/,/, /g')"
contains "-n says that there are no counters" '^counters +off$' dry.txt
contains "-n shows no threshold for waits" '^sync +off$' dry.txt

"$xcollect" -A off true 2>one.err
"$xcollect" -A off true 2>/dev/null
is "default names count up" "test.1.er test.2.er" "$(echo test.*.er)"
is "a recording says one line" 1 "$(wc -l <one.err)"
"$xcollect" -A off -o n.er -C "first comment" -C $'odd \x01\xff\nbytes' true 2>/dev/null
printf 'first comment\nodd \x01\xff bytes\n' | cmp -s - n.er/notes
is "comments are in notes, odd bytes as they are" 0 $?
"$xcollect" -A off -o n.er true 2>/dev/null
is "a name that exists is 125" 125 $?
"$xcollect" -A off -O n.er true 2>/dev/null
is "-O overwrites an experiment" 0 $?
[ ! -e n.er/notes ]
is "-O leaves nothing of the old one" 0 $?
mkdir mine.er && touch mine.er/thesis
"$xcollect" -A off -O mine.er true 2>/dev/null
is "-O of another directory is 125" 125 $?
[ -e mine.er/thesis ]
is "-O deletes experiments only" 0 $?
mkdir sub && "$xcollect" -A off -d sub true 2>/dev/null
[ -e sub/test.1.er/log.xml ]
is "-d puts the experiment there" 0 $?
