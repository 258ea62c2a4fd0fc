# An archived experiment, moved elsewhere with the program deleted, resolves as before.
golden=$(realpath "$(dirname "$0")/../golden")
. "$(dirname "$0")/lib.sh"
. "$golden/vdso.sh"

# moved CLAIM NAME: NAME.er reads the same after the program is gone and the directory has moved
moved()
{
	report "$2" -functions -lines
	cp "$2.txt" "$2.before"
	rm -f program
	mkdir -p "elsewhere"
	mv "$2.er" elsewhere/
	mv elsewhere "elsewhere.$2"
	limited 60 "$xer_print" -functions -lines "elsewhere.$2/$2.er" >"$2.after" 2>"$2.after.err"
	is "$1: exit status" "0 said" "$? $(said_in "$2.after")"
	diff "$2.before" "$2.after" >"$2.diff"
	is "$1: reads as before" "said" "$(said_in "$2.before")$(head -5 "$2.diff")"
	contains "$1: functions have names" 'leak_malloc' "$2.after"
}

cp "$programs/heap_known" program
record auto -H on -- ./program
contains "the object is in archives" '^program_' <(ls auto.er/archives)
moved "archived at the end" auto

# By default it has what stacks need, compressed, and not the recorder, whose functions are shown as one.
is "by default, archives have the objects in stacks, and not the recorder" "libc.so.6 program " \
	"$(ls elsewhere.auto/auto.er/archives | grep -v '\.debug' | sed 's/_[0-9a-f]*\(\.zst\)*$//' | grep -E '^(libc|program)' | LC_ALL=C sort | xargs) $(ls elsewhere.auto/auto.er/archives | grep collector)"
record nothing -p off -- true
is "a process without stacks has no archive" "" "$(ls nothing.er/archives)"
cp "$programs/heap_known" program
record all -A on -z off -H on -- ./program
is "-A on archives all objects, -z off as they are" "1 1 0" "$(ls all.er/archives | wc -l | awk '{ print ($1 > 3) }') $(ls all.er/archives | grep -c '^libcollector.so_[0-9a-f]*$') $(ls all.er/archives | grep -c '\.zst$')"
record some -H on -- ./program
if ls some.er/archives | grep -q '^program_[0-9a-f]*\.zst$'; then
	is "a copy has the bytes of the file" "$(cksum <program)" "$(zstd -d -c some.er/archives/program_*.zst | cksum)"
	report some -functions -lines
	rm -f program
	mkdir far
	mv some.er far/
	"$xer_print" -functions -lines far/some.er >far.txt 2>&1
	is "which is read where the file is gone" "said" "$(said_in far.txt)$(diff some.txt far.txt | head -5)"
	printf '????????' | dd of="$(echo far/some.er/archives/program_*.zst)" bs=1 seek=100 conv=notrunc status=none
	limited 60 "$xer_print" -functions far/some.er >damaged.txt 2>&1
	is "one that is damaged is not read" "0 0" "$? $(grep -c leak_malloc damaged.txt)"
	limited 60 "$xer_archive" -verify far/some.er >damaged.verify 2>&1
	is "and -verify says that it is missing" 1 "$(grep -c '/program: not archived, and the file is gone' damaged.verify)"
else
	skip "compressed copies" "this build has no libzstd, or zstd is missing" 4
fi
cp "$programs/ft_cost" program
record traced -p off --functrace -- ./program 1 10
is "where functions were traced, all objects are archived" "1 1" "$(ls traced.er/archives | grep -c '^program_') $(ls traced.er/archives | grep -c '^ld-linux.*[0-9a-f]\(\.zst\)*$')"
rm -f program

# The classes of a Java experiment, those of its methods.
cp -r "$golden/java.er" java.er
limited 60 "$xer_archive" -a usedldobjects java.er >java.out 2>&1
is "JAVA_CLASSES has the classes of the methods" \
	"$(grep -o '<method [^>]*class="[^"]*"' "$golden/java.er/map.xml" | sed 's/.*class="//; s/"//; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' | LC_ALL=C sort -u | cksum)" \
	"$(cut -f1 java.er/JAVA_CLASSES | cksum)"
contains "and their source files" '^JavaSmall	JavaSmall\.java$' java.er/JAVA_CLASSES

# A descendant that had nothing to record writes log.xml alone; the archiver gives it what every experiment has.
record quiet -p off -A off -- sh -c '/bin/true; /bin/true; :'
is "quiet descendants write log.xml alone" "log.xml log.xml" "$(ls -A quiet.er/_f1_x1.er quiet.er/_f2_x1.er | grep -v : | xargs)"
"$xer_print" -statistics all -sample_detail all -threads -overview quiet.er >quiet.before 2>&1
succeeds "xer_archive completes them" timeout 60 "$xer_archive" quiet.er
is "they have all files" "log.xml map.xml overview log.xml map.xml overview" "$(ls -A quiet.er/_f1_x1.er quiet.er/_f2_x1.er | grep -v : | xargs)"
"$xer_print" -statistics all -sample_detail all -threads -overview quiet.er >quiet.after 2>&1
is "and read as before" "" "$(diff quiet.before quiet.after | head -5)"
is "with their usage, and the sum" 4 "$("$xer_print" -statistics all quiet.er | grep -c 'Total CPU (sec.): *[0-9.]* ( *[0-9]*[1-9]')"
! have llvm-xray || succeeds "llvm-xray verifies the overview" timeout 60 llvm-xray fdr-dump -verify quiet.er/_f1_x1.er/overview
sum=$(cat quiet.er/_f1_x1.er/* | cksum)
"$xer_archive" quiet.er
is "once" "$sum" "$(cat quiet.er/_f1_x1.er/* | cksum)"

cp "$programs/heap_known" program
record byhand -A off -H on -- ./program
is "-A off archives nothing" "0 " "$? $(ls byhand.er/archives 2>&1)"
"$xer_archive" byhand.er
is "xer_archive by hand" "0 1" "$? $(ls byhand.er/archives | grep -c '^program_')"
listing=$(ls -i byhand.er/archives)
"$xer_archive" byhand.er
is "again, it keeps what is there" "0 $listing 1" "$? $(ls -i byhand.er/archives) $(ls byhand.er/archives | grep -c '^program_')"
moved "archived by hand" byhand

cp "$programs/crash" program
record died -H on -- ./program 100 1
report died -functions
contains "a died experiment is archived by xer_print" '^program_' <(ls died.er/archives)

cp "$programs/heap_known" program
record source -A src -H on -- ./program
if [ -d source.er/archives/src ]; then
	contains "sources come along" 'heap_known\.c' <(find source.er/archives/src -type f)
else
	not_ok "sources come along: no archives/src"
fi

# Files that the program deletes: they are archived while the process still has them.
cat >deletes.c <<'C'
#include <stdlib.h>
#include <unistd.h>
void *volatile kept;
__attribute__((noinline)) static void after_deletion(void)
{
	for (int i = 0; i < 100; i++)
		kept = malloc(30);
	__asm__ volatile("");
}
int main(int argc, char **argv)
{
	(void)argc;
	unlink(argv[0]);
	after_deletion();
	return 0;
}
C
cat >loads.c <<'C'
#include <dlfcn.h>
#include <unistd.h>
int main(void)
{
	void *library = dlopen("./deleted.so", RTLD_NOW);
	unlink("deleted.so");
	return ((int (*)(int, char **))dlsym(library, "main"))(1, (char *[]){"nothing", NULL});
}
C
if have gcc && gcc -O1 -g -o deletes deletes.c && gcc -O1 -g -shared -fPIC -o deleted.so deletes.c && gcc -O1 -o loads loads.c; then
	cp deletes itself
	record itself -p off -H on -- ./itself
	report itself -metrics i.heapalloccnt:name -functions
	is "a program that deletes its own file has its names" 100 "$(value itself after_deletion 1)"
	cp deletes child
	record child -p off -H on -- sh -c './child; true'
	report child -metrics i.heapalloccnt:name -functions
	is "so has a descendant, which ends earlier" 100 "$(value child after_deletion 1)"
	record library -p off -H on -- ./loads
	if [ -n "$(find library.er/archives -name 'deleted.so_*')" ]; then
		report library -metrics i.heapalloccnt:name -functions
		is "and a library that was deleted" 100 "$(value library after_deletion 1)"
	else
		skip "and a library that was deleted" "only privileged users can read the files of mappings" 1
	fi
else
	skip "files that the program deletes" "no gcc" 3
fi

# After unshare(1) with -p, the process can have no children any more: the first one of the new namespace has ended.
if unshare -pf true 2>/dev/null; then
	record namespace -p off -A on -- unshare -pf true
	contains "a process that can have no children any more is archived" '^unshare_' <(ls namespace.er/archives)
else
	skip "a process that can have no children any more" "unshare(1) may make no namespace" 1
fi
if unshare -rpf true 2>/dev/null; then
	record user -p off -A on -- unshare -rpf true
	report user -header all
	within "or a message says that it could not be" 1 2 "$(($(find user.er/archives -name 'unshare_*' | wc -l) + $(grep -c 'nothing is archived: no process could be made' user.txt)))"
else
	skip "or a message says that it could not be" "unshare(1) may make no namespace" 1
fi

# verify NAME: what is missing, to NAME.verify; returns the exit status
verify()
{
	"$xer_archive" -verify "${@:2}" "$1.er" >"$1.verify" 2>"$1.verify.err"
}

cp "$programs/heap_known" program
record whole -H on -- ./program
verify whole
is "-verify: nothing is missing from an archived experiment" 0 $?
contains "-verify counts" '^0 missing; archived: [1-9][0-9]* load objects' whole.verify
record none -A off -H on -- ./program
verify none
is "-verify: without an archive something is" 1 $?
contains "-verify names the program and why" '^missing: none\.er: .*/program: not archived$' none.verify
is "-verify copies nothing" "" "$(ls none.er/archives)"
is "-verify counts what it names" "$(grep -c '^missing: ' none.verify)" "$(sed -n 's/ missing; .*//p' none.verify)"
verify none -m '/program$'
contains "-verify -m: only what matches" '^1 missing; archived: 0 load objects' none.verify
verify whole -a src -m '/program$'
contains "-verify -a src names sources that are here" '^missing: whole\.er: .*/heap_known\.c: source: not archived$' whole.verify
"$xer_archive" -a src whole.er
verify whole -m '/program$'
is "-verify: archived sources are there" 0 $?
contains "and counted" ' [1-9][0-9]* sources?, ' whole.verify
is "one is not many" 0 "$(cat ./*.verify | grep -cE ' 1 (load objects|debug files|sources|functions)')"
record made -p off -H on -- "$programs/dynamic_known"
verify made
contains "-verify: code that was made and not recorded" '^missing: made\.er: unreadable: its code was not recorded$' made.verify
contains "the other functions are counted" ' [1-9][0-9]* JIT functions?$' made.verify
functions=$(sed -n 's/.* \([0-9]*\) JIT functions\{0,1\}$/\1/p' made.verify)
truncate -s 4 made.er/dyntext
verify made
is "-verify: code that is cut off is missing" "$functions" "$(grep -c ': dyntext: its code is cut off$' made.verify)"
"$xer_archive" -d shared none.er
verify none -m '/program$'
contains "-verify: a common archive stays behind" '/program: only in the common archive$' none.verify
cp "$programs/exitcodes" exitcodes && record gone -A off -p off -- ./exitcodes 0
rm -f program exitcodes
verify gone -a on
contains "-verify: a file that is gone is named so" '/exitcodes: not archived, and the file is gone$' gone.verify
printf '#analyzer experiment group\nwhole.er\nnone.er\nnowhere.er\n' >some.erg
"$xer_archive" -verify -m '/program$' some.erg >group.verify 2>group.err
is "-verify of a group" 1 $?
contains "-verify checks all of it" '/program: only in the common archive$' group.verify
contains "and names what cannot be opened" 'nowhere\.er: no such experiment' group.err

# What could not be archived at the end of the recording is archived later.
mkdir -p two/code two/headers
printf 'static void *take(void)\n{\n\treturn malloc(10);\n}\n' >two/headers/take.h
printf '#include <stdlib.h>\n#include <take.h>\nint main(void)\n{\n\treturn take() == NULL;\n}\n' >two/code/main.c
if have gcc objcopy strip && gcc -g -O0 -o program two/code/main.c -Itwo/headers; then
	record two -A off -H on -- ./program
	for planted in code headers; do
		rm -rf two.er/archives
		mkdir -p "two.er/archives/src$PWD/two"
		touch "two.er/archives/src$PWD/two/$planted"
		"$xer_archive" -a src two.er 2>planted.err
		is "a source that cannot be archived is told ($planted)" 1 $?
		contains "by its name ($planted)" "/two/$planted/[a-z.]*: Not a directory\$" planted.err
		is "and the others are ($planted)" 1 "$(find two.er/archives/src -name '*.[ch]' | wc -l)"
	done
	objcopy --only-keep-debug program program.debug
	strip program
	objcopy --add-gnu-debuglink=program.debug program
	mv program.debug later.debug
	record late -A off -H on -- ./program
	"$xer_archive" -m '/program$' late.er
	mv later.debug program.debug
	verify late -m '/program$'
	contains "-verify: a debug file that has come later" '/program\.debug: debug file: not archived$' late.verify
	succeeds "xer_archive after that" "$xer_archive" -m '/program$' late.er
	verify late -m '/program$'
	is "has brought it" 0 $?

	# The object has become a text file, most likely one that a user wrote.
	(cat two/headers/take.h; head -c 17000000 /dev/zero | tr '\0' '\n') >two/headers/large.h
	sed -i 's/take.h/large.h/' two/code/main.c
	gcc -g -O0 -o program two/code/main.c -Itwo/headers
	record large -A off -H on -- ./program
	"$xer_archive" -a src -m '/program$' large.er
	verify large -a src -m '/program$'
	is "-verify: a source that is too large for archives is not missing" 0 $?
	contains "the other one is there" ', 1 source,' large.verify

	# Debug information that dwz(1) makes several objects share: any ELF file by its build id.
	printf 'int main(void)\n{\n\treturn 1;\n}\n' >two/code/common.c
	gcc -Wl,--build-id=sha1 -o common.dwz two/code/common.c
	objcopy -O binary --only-section=.note.gnu.build-id common.dwz common.note
	(printf 'common.dwz\0'; tail -c 20 common.note) >link
	gcc -g -O0 -o program two/code/main.c -Itwo/headers
	objcopy --add-section .gnu_debugaltlink=link program
	record shared -A off -H on -- ./program
	"$xer_archive" -m '/program$' shared.er
	is "a file that objects share comes along" 1 "$(ls shared.er/archives | grep -c '^common\.dwz_')"
	verify shared -m '/program$'
	is "-verify: it is there" 0 $?
	rm -f shared.er/archives/common.dwz_*
	verify shared -m '/program$'
	contains "-verify: it is missing" '/common\.dwz: debug file: not archived$' shared.verify
	"$xer_archive" -m '/program$' shared.er
	verify shared -m '/program$'
	is "xer_archive brings it again" 0 $?
else
	skip "sources and debug files that come later" "gcc, objcopy or strip is missing"
fi

"$xer_archive" nowhere.er >/dev/null 2>archive.err
is "a missing experiment is 1" 1 $?
is "in one line" 1 "$(wc -l <archive.err)"
"$xer_archive" -Z source.er >/dev/null 2>&1
is "a usage error is 2" 2 $?
"$xer_archive" -m '[' source.er >/dev/null 2>archive.err
is "so is a bad regular expression" 2 $?
is "in one line too" 1 "$(wc -l <archive.err)"

# The vDSO comes from the kernel, and another kernel has another one: it is archived like every object, once for each build-id.
cat >clocks.c <<'C'
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
	struct timespec start, now;

	fork();
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
	do {
		for (int i = 0; i < 100000; i++)
			clock_gettime(CLOCK_MONOTONIC, &now);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while ((now.tv_sec - start.tv_sec) * 1e9 + (double)(now.tv_nsec - start.tv_nsec) < 1e8);
	wait(NULL);
	return 0;
}
C
gcc -O2 -g -o clocks clocks.c
record clocks -p hi -- ./clocks
report clocks -functions -calltree
cp clocks.txt clocks.here
is "nothing in the vDSO is without a name" 0 "$(grep -c '\[vdso\]+0x' clocks.here)"
is "of a process and its child there is one vDSO in archives" 1 "$(find clocks.er/archives -name '\[vdso\]_*' | wc -l)"
vdso_foreign clocks.er >/dev/null
report clocks -functions -calltree
is "an experiment of another kernel reads as at home" "" "$(diff clocks.here clocks.txt)"
verify clocks
is "-verify: nothing is missing from it" 0 $?
rm clocks.er/archives/'[vdso]'_*
report clocks -functions -calltree
cp clocks.txt clocks.without
contains "without the vDSO its code is offsets" '\[vdso\]\+0x' clocks.without
vdso_rename clocks.er "$(vdso_ids clocks.er)" "$(vdso_ids clocks.er | tr 01234567 76543210)"
report clocks -functions -calltree
is "the same ones under every other kernel" "" "$(diff clocks.without clocks.txt)"
verify clocks
contains "-verify says that it is missing" '^missing: clocks.er: \[vdso\]: not archived, and this kernel has another one' clocks.verify
"$xer_archive" clocks.er 2>clocks.err
is "xer_archive cannot archive it: exit status" 1 $?
is "and says so" "xer_archive: clocks.er: not archived: [vdso]: this kernel has another one" "$(head -1 clocks.err)"

# ---- below filters of system calls
# filtered NAME COMMAND...: run it recorded, with archives at its end, in a directory of its own; prints its status, output, and what it leaves
filtered()
{
	local name=$1
	shift
	mkdir "$name"
	(
		cd "$name" || exit
		ulimit -c unlimited 2>/dev/null
		{ limited 60 "$xcollect" -A on -o "../$name.er" "$@" >../filtered.out 2>/dev/null; } 2>/dev/null
		echo "$? $(xargs <../filtered.out) $(ls)"
	)
}
forbids=$programs/forbids
"$forbids" mount kill >/dev/null
if [ $? != 3 ]; then
	skip "archives below filters" "no seccomp filters here" 26
else
	for call in clone wait4 execve dup3 setns; do
		for how in kill trap; do
			is "a program that forbids $call ($how) ends as ever" "3 end " "$(filtered "f-$call-$how" "$forbids" $call $how)"
			contains "and is told not to be archived" 'nothing is archived: a filter' "f-$call-$how.er/log.xml"
		done
	done
	is "calls that nobody needs may be forbidden" "3 end  1" \
		"$(filtered f-mount "$forbids" mount kill) $(ls f-mount.er/archives | grep -c '^forbids_')"
	is "in what it executes, too" "4   1" \
		"$(filtered f-executed "$forbids" mount kill "$forbids" ptrace refuse sh -c 'exit 4') $(ls f-executed.er/archives | grep -c '^forbids_')"
	for clock in on off; do
		limited 60 "$programs/refuse" perf 1 "$xcollect" -p $clock -H on -o "contained-$clock.er" "$programs/forbids" mount refuse >/dev/null 2>&1
		is "where xcollect itself has a filter, as in a container, the program is archived (-p $clock)" "3 1" "$? $(ls "contained-$clock.er/archives" | grep -c '^forbids_')"
	done
	is "what it executes below a filter that forbids it ends as ever" "4  " "$(filtered f-below "$forbids" clone kill sh -c 'exit 4')"
	is "and is not archived" 0 "$(ls f-below.er/archives 2>/dev/null | wc -l)"
fi
