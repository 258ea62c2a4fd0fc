# Experiments, memory and files that work against the readers: damaged experiments through every program (tests/hostile/attack.c),
# allocations that fail (starve.c), files that are cut short while they are read (cut.c).
# By hand: HOSTILE_SEED=n HOSTILE_ATTACKS=n HOSTILE_SECONDS=n for more attacks, HOSTILE_STEP=1 to let every allocation fail.
hostile=$(realpath "$(dirname "$0")/../hostile")
golden=$(realpath "$(dirname "$0")/../golden")
sources=$(realpath "$(dirname "$0")/../programs")
template=$sources/user_work.trc
. "$(dirname "$0")/lib.sh"
seed=${HOSTILE_SEED:-1}
sanitized=${HOSTILE_READERS:-$BUILD/asan/bin}

build="gcc -O1 -I$(realpath "$hostile/../..") -D_GNU_SOURCE -Wall -Wextra -Werror"
$build -o attack "$hostile/attack.c" "$hostile/damage.c" && $build -o starve "$hostile/starve.c" &&
	$build -shared -fPIC -fno-builtin -o no_memory.so "$hostile/no_memory.c" && $build -shared -fPIC -o cut.so "$hostile/cut.c"
is "the tests' own programs are built" 0 $?
echo "HOSTILE_SEED=$seed"

# ---- experiments with files of all kinds, in which only their own programs are archived

mkdir bases
cp -r "$golden"/{profile,heap,dynamic,user,odd,killed,waits,jit,split,package,dwz,link,rank}.er bases
mkdir bases/profile.er/sampler && "$xer_print" -export sampler bases/profile.er/sampler bases/profile.er 2>/dev/null
# base NAME OPTION... -- PROGRAM...: bases/NAME.er
base()
{
	local name=$1
	record "$@"
	mv "$name.er" bases
	"$xer_archive" -q -m "^$programs/" "bases/$name.er"
	sed -i '/path="[^"]*\/lib[^"]*\.so/d' "bases/$name.er"/map.xml "bases/$name.er"/*_*.er/map.xml 2>/dev/null
}
base all -A off -p hi -H on -s all -i on -w on -S on -- "$programs/mixed" 30
base calls -A off -p off --functrace -- "$programs/ft_known" 2 20
base long -A off -p off -H on -S off -- "$programs/mixed" 8000
base children -A off -p hi -H on -F on -- "$programs/children" fork 2
for told in map dump gdb; do
	base $told -A off -p off -H on -- "$programs/jit_known" $told
	rm -f "/tmp/perf-$(cat $told.out).map" jit-*.dump
done
is "experiments are recorded" "all calls children dump dwz dynamic gdb heap jit killed link long map odd package profile rank split user waits" "$(cd bases && echo *.er | sed 's/\.er//g')"

# ---- if this machine cannot make one, a golden experiment takes its place. Open MPI does not like root, containers and few
# processors.

# once NAME: tests/golden/NAME.er stands in
once()
{
	rm -rf "bases/$1.er" && cp -r "$golden/$1.er" bases
}

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl=self,vader OMPI_MCA_oob_tcp_if_include=lo OMPI_MCA_plm_rsh_agent=false
base sampler -A off -p off --sampler=100u,1 -h page-faults,1 -- "$programs/ft_faults"
base alone -A off -p off --sampler=100u,1 -- sh -c "'$programs/alone_static' work 5 fork 5; '$programs/alone_static' work 5 become '$programs/alone' work 5; :"
[ -e bases/sampler.er/counter0 ] || once sampler
if gcc -O1 -g -fopenmp -o omp_known "$sources/omp/known.c" 2>/dev/null; then
	base omp -A off -p hi --omp=on -- ./omp_known
else
	once omp
fi
mpi=
for one in mpich openmpi; do
	[ -z "$mpi" ] && have mpicc.$one mpirun.$one && mpicc.$one -O1 -g -w -o mpi_known "$sources/mpi/known.c" 2>/dev/null || continue
	base mpi -A off -p hi -M on -- mpirun.$one -np 2 -- ./mpi_known file
	if [ -e bases/mpi.er/M_r1.er ]; then mpi=$one; else rm -rf bases/mpi.er; fi
done
[ -n "$mpi" ] || once mpi
if have java javac && javac -d . -sourcepath "$sources:$sources/../../share/java" "$sources/JavaKnown.java" 2>/dev/null; then
	base java -A off -p hi -H on -- java -Xmx24m -cp . JavaKnown threads 1
else
	once java
fi

# ---- attacks

if [ -x "$sanitized/xer_print" ]; then
	mkdir attacks
	(cd attacks && ../attack "$sanitized" "$seed" 0 "${HOSTILE_ATTACKS:-150}" "${HOSTILE_SECONDS:-25}" ../bases/*.er) >attacks.txt 2>&1
	status=$?
	[ $status = 0 ] || cat attacks.txt
	is "$(tail -1 attacks.txt)" 0 $status
else
	skip "attacks" "make replay has not built $sanitized/xer_print"
fi

# A file that would be worth attacking is never opened for writing, by its path or another one.
if have strace && strace -o /dev/null true 2>/dev/null; then
	mkdir guard && echo secret >guard/secret
	written=
	for way in path link common; do
		rm -rf case.er && cp -r bases/heap.er case.er
		case $way in
		path) sed -i "s|path=\"[^\"]*\"|path=\"$PWD/guard/secret\"|" case.er/map.xml ;;
		link) rm -r case.er/archives && ln -s ../guard case.er/archives ;;
		common) echo -n "$PWD/guard" >case.er/archives/common ;;
		esac
		for reader in "$xer_print -functions -lines" "$xer_archive -a src -F"; do
			strace -f -qq -o trace.txt -e trace=%file $reader case.er >/dev/null 2>&1
			written+=$(grep -E 'O_WRONLY|O_RDWR|O_CREAT|^[0-9]+ +(rename|unlink|mkdir|symlink|link|chmod|truncate)' trace.txt |
				grep -v -e '= -1 ' -e '"\.tmp\.' -e '"archives"' -e '"src' -e '"/dev/tty"')
		done
	done
	is "nothing is opened for writing but archives" "" "$written"
	is "no file comes into a directory that an experiment names" "secret" "$(ls guard)"
else
	skip "no file is written elsewhere, by its system calls" "no strace"
fi

# ---- no memory

# starved TEMPLATE PROGRAM WORD...: calls of the allocator fail, from the first or a later one on, trying each HOSTILE_STEPth call
step=${HOSTILE_STEP:-151}
mkdir empty starving
bad=0
starved()
{
	local template=$1 first=$((1 + (seed + bad) % step))
	shift
	(cd starving && ../starve ../no_memory.so $first "$step" "$template" "$@") >starved.txt 2>&1 && return
	bad=$((bad + 1))
	cat starved.txt
}
ln -s ../bases starving/bases
cp -r "$golden/java.er" .
[ -e bases/alone.er/sampler/map.fxt ] && starved ../empty "$xer_print" -exp_list bases/alone.er
while read -r line; do
	eval "starved ../empty $xer_print $line"
done <<'END'
-header -overview -exp_list -functions -fsummary -calltree -callers-callees bases/profile.er
-lines -pcs -threads -cpus -seconds -samples -statistics -sample_detail -objects bases/profile.er
-leaks -peak -heapstat -heapmaps -datasize -memobj page bases/heap.er
-printmode json -leaks -functions -header -overview bases/heap.er
-printmode html -outfile out/page.html -leaks -functions bases/heap.er
-printmode csv -appendfile out/table.csv -leaks -functions bases/heap.er
-filters 'HFREED >= 0 && FNAME("m.*") IN STACK || THRID' -functions -thread_list -describe bases/heap.er
-sync -locks -syncwaits -ioactivity -iodetail -iocallstack -iostat -duration bases/all.er
-calls -ftrace -instr_map_out out/map bases/calls.er
-convert yaml -account -graph -stack bases/calls.er/functrace
-functions -disasm one 1 -lines bases/dump.er
-functions -calltree bases/map.er
-functions -gcevents -javaheap ../java.er
-exp_list -functions -processes -overview bases/children.er
-hooks -hookpairs '020:1 020:2 D1' -trcrpt '-r -O hist=on,removedups=on' bases/user.er
-export folded-threads out/x bases/heap.er
-export speedscope out/x bases/heap.er
-export pprof out/x bases/profile.er
-export callgrind out/x bases/profile.er
-export firefox out/x bases/heap.er
-export dot out/x bases/heap.er
-export fxt out/x -fxt_dump out/x bases/all.er
-export chrome out/x bases/all.er
-export sqlite out/x bases/all.er
-export sampler out bases/profile.er
-report out/x bases/all.er
-check 'i.totalcpu <= 1.05*base; heapleakbytes >= 0' -base bases/profile.er -junit out/junit.xml bases/profile.er
-compare delta -functions -calltree bases/profile.er bases/heap.er
END
starved ../empty "$readers/xer_trcrpt" -r -t "$template" -o out/report bases/user.er
for what in "-a on" "-a usedsrc -F"; do
	rm -rf unarchived.er && cp -r bases/children.er unarchived.er && rm -rf unarchived.er/archives
	starved ../unarchived.er "$xer_archive" $what out
done
is "wherever memory runs out, a reader says so, and leaves no half of a file" 0 $bad

# An output file that cannot be written to its end is removed too.
(
	ulimit -f 1
	trap '' XFSZ
	"$xer_print" -export chrome cut.json bases/heap.er 2>cut.err
	echo $? >cut.status
	echo before >kept.txt
	"$xer_print" -appendfile kept.txt -describe -overview -describe bases/heap.er 2>>cut.err
	echo $? >>cut.status
)
is "a file that is too large: status and messages" "1 1 2" "$(echo $(cat cut.status) $(grep -cE 'written|write' cut.err))"
is "a file that is too large: there is no half of it" "before" "$([ -e cut.json ] && echo half; cat kept.txt)"

# ---- files that are cut short while they are read

# cut FILE NUMBER: run xer_print, and cut the file of case.er short after it was used NUMBER times. Returns 0 if it came to that,
# with the exit status in $status and a word about it in cut.txt
cut_at()
{
	rm -rf case.er && cp -r "bases/$base.er" case.er
	: >cut.tell
	CUT_FILE=$(echo case.er/$1) CUT_AT=$2 CUT_SIZE=$3 CUT_FD=9 LD_PRELOAD=$PWD/cut.so "$xer_print" -functions -lines -overview case.er \
		>cut.out 2>cut.txt 9>cut.tell
	status=$?
	[ -s cut.tell ]
}
while read -r base file size; do
	count=0
	wrong=
	rm -rf case.er && cp -r "bases/$base.er" case.er && "$xer_print" -functions -lines -overview case.er >whole.out 2>/dev/null
	while [ $count -lt 40 ] && cut_at "$file" $((count + 1)) "$size"; do
		count=$((count + 1))
		{ [ $status = 0 ] && [ -s cut.out ] && cmp -s cut.out whole.out; } || { [ $status = 1 ] && [ -s cut.txt ]; } || wrong+=" $count:$status"
	done
	[ $count != 0 ] || wrong="it is never opened"
	is "$file of $base cut at any of $count moments: no crash, and a word if it is missed" "" "$wrong"
done <<'END'
heap archives/heap_known_* 100
heap heaptrace 100
heap frameinfo 100
heap overview 100
heap log.xml 100
heap map.xml 100
long heaptrace 100000
END
# A log that is read alone. (If it were cut before the first read, it would only be a shorter log.)
wrong=
for count in 2 3 4 5 6; do
	rm -rf case.er && cp -r bases/calls.er case.er
	CUT_FILE=case.er/functrace CUT_AT=$count CUT_SIZE=1000 LD_PRELOAD=$PWD/cut.so "$xer_print" -calls -account case.er/functrace >cut.out 2>cut.txt
	status=$?
	rm -rf case.er && cp -r bases/calls.er case.er
	"$xer_print" -calls -account case.er/functrace >whole.out 2>/dev/null
	{ [ $status = 0 ] && cmp -s cut.out whole.out; } || { [ $status = 1 ] && [ -s cut.txt ]; } || wrong+=" $count:$status"
done
is "a log that is cut between reads: a word if it is missed" "" "$wrong"
base=heap
cut_at 'archives/heap_known_*' 1 100
is "a mapped file that is cut: the exit status" 1 $status
contains "a mapped file that is cut is named" '^xer_print: .*/archives/heap_known_[0-9a-f]*: the file was cut while it was read$' cut.txt
