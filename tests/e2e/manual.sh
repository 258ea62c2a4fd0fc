# The manual pages' own examples: every command line of every EXAMPLES section runs, and so does every row of xer_print's table of
# questions, on recordings of the kinds that they name.
house=$(realpath "$(dirname "$0")/../..")
. "$(dirname "$0")/lib.sh"
PATH=$BUILD/bin:$PATH

# ---- what the examples name: programs, files, experiments
mkdir commands
# The program is one with functions work_a to work_d; a shell gives it its arguments.
cp "$programs/burn50" .
cp -r "$house"/tests/golden/heap.er .
echo data >data.txt
printf 'all:\n\techo built\n' >Makefile
cat >app <<'END'
#!/bin/sh
exec ./burn50 0.1 1
END
printf '#!/bin/sh\ncat >/dev/null\n' >commands/flamegraph.pl
printf '#!/bin/sh\necho $RUNNING\n' >commands/pidof
cp app app.old
cp app app.new
chmod +x app* commands/*
PATH=$PWD/commands:$PATH
succeeds "experiments that the examples name" sh -c '
	xcollect -o test.1.er ./burn50 0.3 && xcollect -H on -o test.2.er ./app && xcollect -s on -i on -o test.3.er ./app &&
	cp -r test.2.er old.er && cp -r test.2.er new.er && cp -r test.1.er run.1.er && cp -r test.1.er run.2.er && cp -r test.1.er run.3.er' >/dev/null 2>&1
cp "$house/template/trcfmt" my.trcfmt

# examples PAGE: its command lines, one a line; those that continue another are joined
examples()
{
	sed 's/\\-/-/g; s/\\(aq/'"'"'/g; s/\\(dq/"/g; s/\\f[BIRP]//g; s/\\&//g; s/\\e$/\\/' "$house/man/$1" |
		awk '/^\.S[HS]/ { inside = /EXAMPLES/ } inside && /^\.(nf|EX)/ { code = 1; next } /^\.(fi|EE)/ { code = 0 } code' |
		sed -e ':a' -e '/\\$/N; s/\\\n//; ta' | sed 's/^ *//' | grep -E '^(xcollect|xer_[a-z]+|echo|tar) '
}

rm -rf old.er new.er && cp -r heap.er old.er && cp -r heap.er new.er
for page in xcollect.1 xer_print.1 xer_archive.1 xer_trcrpt.1 xer_src.1; do
	examples $page >lines.txt
	[ -s lines.txt ]
	is "$page has examples" 0 $?
	while IFS= read -r line; do
		case $line in
		*' -P '*)
			./burn50 3 1 &
			RUNNING=$!
			export RUNNING
			line=${line/-t 10/-t 1}
			;;
		*--sampler*) line="$line; true" ;; # whether the kernel samples here, sampler.sh tells
		xcollect*) rm -rf cache.1.er waits.1.er redis.1.er build.1.er; mv test.1.er kept.er ;;
		esac
		timeout 60 sh -c "$line" >out.txt 2>err.txt </dev/null
		status=$?
		case $line in
		*-check*) [ $status != 3 ] || status=0 ;;
		esac
		[ ! -e kept.er ] || { [ -e test.1.er ] && rm -rf test.1.er; mv kept.er test.1.er; }
		[ $status = 0 ] || head -3 err.txt
		is "$page: $line" 0 $status
	done <lines.txt
	wait
done

# ---- the table of questions
sed 's/\\-/-/g; s/\\f[BIRP]//g' "$house/man/xer_print.1" | awk '/^\.TS/ && !done { inside = 1; next } /^\.TE/ { if (inside) done = 1; inside = 0 } inside' |
	awk -F '\t' '$2 ~ /^-/ { print $2 "\t" $3 }' >rows.txt
is "there is a table" 15 "$(wc -l <rows.txt)"
xcollect -w on -o wall.er sleep 0.1 >out.txt 2>err.txt
while IFS=$'\t' read -r command needs; do
	case $needs in
	'-H on') on=heap.er function=main ;;
	'-w on') on=wall.er function=main ;;
	'-s on' | '-i on') on=test.3.er function=main ;;
	*) on=test.1.er function=work_a ;;
	esac
	command=${command/-csingle function/-csingle $function}
	command=${command//source function/source $function}
	command=${command//disasm function/disasm $function}
	command=${command//from-to/0-1}
	case $command in
	*'old new') command="${command/old new/} old.er new.er" on='' ;;
	esac
	[[ $command != *-base* ]] || command="-check heapleakbytes==0 -base old.er new.er"
	# shellcheck disable=SC2086
	xer_print $command $on >out.txt 2>err.txt
	status=$?
	[[ $command != -check* || $status != 3 ]] || status=0
	is "to the question: $command" 0 "$status"
done <rows.txt

# ---- C and templates
# blocks PAGE: the code of its EXAMPLES, each block ended by a line with a form feed
blocks()
{
	sed 's/\\-/-/g; s/\\e/\\/g; s/\\&//g' "$house/man/$1" | awk '/^\.S[HS]/ { inside = /EXAMPLE/ } inside && /^\.nf/ { code = 1; next }
		/^\.fi/ { if (code) print "\f"; code = 0 } code'
}
# block PAGE PATTERN: the first block with a line like that
block() { blocks "$1" | awk -v RS='\n?\f\n' -v pattern="$2" '$0 ~ pattern { print; exit }'; }
compile() { ${CC:-gcc} -D_GNU_SOURCE -I "$house/include" -O1 -o "$1" "$1.c" -ldl; }

blocks xer_trcfmt.5 | awk -v RS='\n?\f\n' '/^[0-9A-F]+ [0-9]+\.[0-9]+ / { print }' >templates
is "xer_trcfmt(5) has templates" 4 "$(grep -cE '^[0-9A-F]{3} ' templates)"
succeeds "which are right" xer_trcrpt -c -t templates
{
	echo '#include <sys/trchkid.h>'
	block xer_trcfmt.5 '^#define REQUEST' | grep '^#define'
	echo 'int main(void) { long number = 7, state = 1;'
	block xer_trcfmt.5 '^#define REQUEST' | grep -v '^#define'
	echo 'return 0; }'
} >request.c
succeeds "its program compiles" compile request
succeeds "and is recorded" xcollect -o request.er ./request
xer_trcrpt -t templates request.er >out.txt
contains "as the page shows it" 'request 7 begins' out.txt
contains "with its state" 'request 7 took \[[0-9]+ usec\] cached good' out.txt

{ block trchkid.3 TRCGEN; echo 'int main(void) { work(7, "some text", 9); return 0; }'; } >logs.c
succeeds "the program of trchkid(3) compiles" compile logs
succeeds "and is recorded" xcollect -o logs.er ./logs
xer_print -hooks logs.er >out.txt
contains "its events are there" '^ *012' out.txt

{
	printf '#include <collectorAPI.h>\nstatic void read_input(void) {}\nstatic void work(void) {}\n'
	block collectorAPI.3 collector_pause | sed 's/^\t\.\.\.$/	return 0;\n}/'
} >phases.c
succeeds "the program of collectorAPI(3) compiles" compile phases
succeeds "and is recorded" xcollect -o phases.er ./phases
xer_print -header phases.er >out.txt
contains "its pause is told" '[Pp]ause' out.txt

# The functions are those of the library as it was built; its pkg-config file is tried with the packages.
block xer_sampler.3 zx_sampler_create >counts.c
succeeds "the program of xer_sampler(3) compiles" ${CC:-gcc} -D_GNU_SOURCE -fno-omit-frame-pointer -I "$house/include" -o counts counts.c \
	"$BUILD/lib/libsampler.a" "$BUILD/lib/libxfmt.a" -lpthread
if ./counts >out.txt; then
	contains "and counts its samples" '^[1-9][0-9]* samples, ' out.txt
else
	skip "the program of xer_sampler(3) samples" "not permitted here" 1
fi

if have xmllint; then
	blocks experiment.5 | grep '^xmllint' >lines.txt
	is "experiment(5) has examples" 3 "$(wc -l <lines.txt)"
	while IFS= read -r line; do
		sh -c "$line" >out.txt 2>err.txt
		is "experiment.5: $line" "0 yes" "$? $([ -s out.txt ] && echo yes)"
	done <lines.txt
else
	skip "examples of experiment(5)" "no xmllint" 4
fi
