# System calls of xcollect, of its sampling helper, and of xer_archive fail, or the tool is killed there. The program runs as if
# it were alone, or xcollect says why it did not start and leaves nothing. An experiment that was being archived is as it was, and
# can be archived again. `EVERY=1` tries every call with every error that it can have, and kills at each; `RUNS=n` limits each
# error to n calls.
. "$(dirname "$0")/lib.sh"

inject=$programs/inject
target=$programs/ft_faults
recording=("$xcollect" -p hi -H on --sampler=1m,1 -h page-faults -A off)
runs=${RUNS:-2}
[ -z "${EVERY:-}" ] || runs=1000000

# What xcollect prints at every recording does not count as a message: nor what it tells a user whom the system shows nothing of itself.
usual='^Creating experiment directory|takes no samples in system calls: the system forbids that|^xcollect: clock samples come at'

# read_as_ever: xer_print's rows of work, and a message if its status is wrong
read_as_ever()
{
	limited 90 "$xer_print" -metrics i.heapalloccnt:i.heapallocbytes:name -functions t.er >report.txt 2>report.err
	local status=$?
	[ $status = 0 ] || [ $status = 1 ] && [ -s report.err ] || [ $status = 0 ] || echo "xer_print ends with $status"
	awk '$NF == "work" { print; exit }' report.txt
}

# as_bare: how the program's status, output and file differ from the bare run; and what the experiment lacks without a message of
# xcollect or xer_print
as_bare()
{
	[ "$1" = 7 ] || echo "exit status $1;"
	cmp -s ../bare.out out || echo "other output ($(diff ../bare.out out | grep '^[<>]' | head -3 | xargs));"
	cmp -s ../bare.left left || echo "other file;"
	read_as_ever >row
	[ "$(awk '$NF == "work" { print $1, $2 }' row)" = "500 24000" ] || [ -s report.err ] || grep -qvE "$usual" err ||
		echo "work has '$(cat row)', and nobody says so;"
}

# begin NAME ERRNO FIRST: xcollect's call number FIRST fails
begin()
{
	limited 90 "$inject" xcollect log "$2" "$3" 1 "${recording[@]}" -o t.er "$target" >out 2>err
	local status=$? wrong=
	if [ -s out ] || [ -e left ]; then
		wrong=$(as_bare $status)
	else
		[ $status != 0 ] && [ $status != 124 ] || wrong="did not start, exit status $status;"
		[ -s err ] || [ "$3" = 1 ] || wrong+=" says nothing;" # the first call is the loader's
		# xcollect must see its files to delete them.
		[ ! -e t.er ] || sed -n "$3"p log | grep -q 'unlinkat\|getdents' || wrong+=" leaves $(find t.er | head -5 | xargs);"
	fi
	# A sandbox that forbids handlers just while xcollect starts its helper is not realistic.
	! sed -n "$3"p log | grep -q rt_sigaction || return 0
	[ -z "$wrong" ] || echo "$wrong (call: $(sed -n "$3"p log | cut -d ' ' -f 2))"
}

# untold WHO DIRECTORY: samples that are missing in the files without a message
untold()
{
	local told have
	told=$(sed -n 's/.*<count name="'"$2"'_samples" value="\([0-9]*\)".*/\1/p' t.er/log.xml)
	have=$(for file in "t.er/$2"/cpu*.fxt; do [ ! -s "$file" ] || "$xer_print" -fxt_dump "$file"; done | grep -c 'large blob with metadata')
	[ -z "$told" ] || [ "$told" = "$have" ] || echo "$have samples of $told in $2;"
	[ -n "$told" ] || grep -qe "warning: $1: " err || grep -q '^# a helper that samples ' report.txt || echo "no counts of $2, and nobody says so;"
}

# sampled NAME HOW VALUE FIRST [COUNT]: a call of the helper beside the program
sampled()
{
	shift
	limited 90 "$inject" xer_sampler log "$@" "${recording[@]}" -o t.er "$target" >out 2>err
	as_bare $?
	untold --sampler sampler
	untold page-faults counter0
}

# archived NAME HOW...: a call of xer_archive
archived()
{
	local status row
	shift
	cp -r ../archivable.er t.er
	row=$(read_as_ever)
	limited 90 "$inject" xer_archive log "$@" "$xer_archive" "${archiving[@]}" t.er >out 2>err
	status=$?
	[ "$status.$2" != 139.1 ] || return # the first call is the loader's, which crashes there
	[ $status = 0 ] || [ $status = 137 ] || [ -s err ] || echo "xer_archive ends with $status, and says nothing;"
	[ $status -lt 124 ] || [ $status = 127 ] || [ $status = 137 ] || echo "xer_archive ends with $status;"
	[ "$row" = "$(read_as_ever)" ] || echo "work was '$row', is '$(read_as_ever)';"
	"$xer_archive" "${archiving[@]}" t.er >out 2>err || echo "archiving again: $(head -1 err);"
	[ "$row" = "$(read_as_ever)" ] || echo "work was '$row', is '$(read_as_ever)' after a second time;"
	# The log names a file that could not be looked at.
	diff -r -I 'kind="warning".* was not taken: ' ../archivable.er t.er | grep -v '^Only in t.er/archives: ft_faults\|^diff ' | head -3
	for file in ../whole.er/archives/ft_faults_*; do cmp "$file" "t.er/archives/${file##*/}" 2>&1; done
}

"$inject" xcollect log 28 0 1 true
[ $? != 120 ] || { skip "system calls of the tools fail" "no tracing here"; exit; }
mkdir bare && (cd bare && "$target" >../bare.out 2>/dev/null; mv left ../bare.left)
# If no call fails, everything is there, without a message.
mkdir whole && cd whole && "${recording[@]}" -o t.er "$target" >out 2>err
must "a recording without a failure has all blocks of work, and nobody complains" "7: 500 24000 work: 0 0" \
	"$?: $(read_as_ever | xargs): $(wc -c <report.err) $(grep -cvE "$usual" err)"
cd ..

fresh()
{
	rm -rf t.er
	[ "$1" != xer_archive ] || cp -r archivable.er t.er
}

# plan_errors WHO COMMAND...: a line for some calls of each error. The command records t.er, or archives a copy of archivable.er
# there.
plan_errors()
{
	local who=$1 pair first
	shift
	for pair in "${errors[@]}"; do
		fresh "$who"
		"$inject" "$who" counted "${pair#*=}" 0 1 "$@" >/dev/null 2>&1
		for first in $(spread "$(wc -l <counted)" "$runs"); do echo "$who.${pair%=*}.$first ${pair#*=} $first"; done
	done
}

# plan_kills WHO COMMAND...: a line for some of all calls
plan_kills()
{
	local who=$1 first
	shift
	fresh "$who"
	"$inject" "$who" counted kill 0 0 "$@" >/dev/null 2>&1
	for first in $(spread "$(wc -l <counted)" $((runs * 3))); do echo "$who.kill.$first kill 9 $first"; done
}

plan_errors xcollect "${recording[@]}" -o t.er "$target" >plan
planned "where xcollect's calls fail, it says so, or the program runs as it does" begin

{
	plan_errors xer_sampler "${recording[@]}" -o t.er "$target" | awk '{ print $0, 1 }'
	plan_kills xer_sampler "${recording[@]}" -o t.er "$target"
	# From the first poll on, every call fails.
	fresh xer_sampler
	"$inject" xer_sampler counted 12 0 1 "${recording[@]}" -o t.er "$target" >/dev/null 2>&1
	echo "xer_sampler.ENOMEM.all 12 $(awk '$2 == "poll" { print $1; exit }' counted) 0"
} >plan
planned "where the helper's calls fail, the program runs as it does" sampled

archiving=(-a usedldobjects -m '/ft_faults$')
"$xcollect" -H on -A off -o archivable.er "$target" child >/dev/null 2>&1
cp -r archivable.er whole.er
succeeds "an experiment is archived" "$xer_archive" "${archiving[@]}" whole.er
fresh xer_archive
must "and has all blocks of work" "100 4800 work" "$(read_as_ever | xargs)"
{
	plan_errors xer_archive "$xer_archive" "${archiving[@]}" t.er | awk '{ print $0, 1 }'
	plan_kills xer_archive "$xer_archive" "${archiving[@]}" t.er
} >plan
planned "where xer_archive's calls fail, the experiment is as it was" archived
