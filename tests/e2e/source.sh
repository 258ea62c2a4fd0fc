# Source, instructions and debug information of all kinds, on a program whose lines are known.
frames=$(realpath "$(dirname "$0")/../bench/compare-frames")
here=$(realpath "$(dirname "$0")/../programs")
. "$(dirname "$0")/lib.sh"
mkdir src && cp "$here"/inlined.cc "$here"/inlined.h src/

# build PROGRAM COMPILER OPTION...: compile the program in the directory of its sources
build()
{
	local out=$1 compiler=$2
	shift 2
	(cd src && "$compiler" -O2 "$@" -o "../$out" inlined.cc) >build.log 2>&1
}

# line TEXT FILE COLUMN: a number in the row of a listing whose source line has TEXT
line()
{
	awk -v text="$1" -v column="$3" 'index($0, text) && !/inlined from/ { sub(/^##/, ""); print $column; exit }' "$2"
}

# differences CLAIM NAME OBJECT: other tools find the same frames at every recorded address
differences()
{
	if ! have python3 llvm-symbolizer; then skip "$1" "python3 or llvm-symbolizer is missing"; return; fi
	"$frames" "$BUILD" "$2.er" llvm-symbolizer "$3" >frames.txt 2>frames.err
	is "$1" 0 $?
	grep -qE 'compared [1-9]' frames.txt || not_ok "$1: nothing was compared"
	grep -vE 'different 0$' frames.txt | head -20
}

# ---- the listings

build program g++ -g
record first -p hi -A off -- ./program 0.6
report first -metrics e%totalcpu:i%totalcpu:name -source inlined.h
is "source: exit status" 0 $?
within "source: the line of the inlined function has most of the time" 55 100 "$(line 'turned here' first.txt 1)"
report first -metrics e%totalcpu:i%totalcpu:name -source inlined.cc
is "source of a file: exit status" 0 $?
"$xer_print" -metrics i%totalcpu:name -source inlined.cc first.er >inclusive.txt 2>/dev/null
within "source: both calls have half each" 25 75 "$(line '/* first' inclusive.txt 1)"
within "source: the other half" 25 75 "$(line '/* second' inclusive.txt 1)"
within "source: the caller's line has all" 98 100 "$(line '/* from main' inclusive.txt 1)"
contains "source: the hot line is marked" '^## .*/\* from main' first.txt
contains "source: what is below the threshold is not" '^   .*/\* first' first.txt
contains "source: heads of functions" '<Function: hot<1>\(unsigned long\)>|<Function: unsigned long hot<1>\(unsigned long\)>' first.txt
contains "source: inlined from the same file" 'Function twice.* inlined from inlined.cc into the code of .*hot<2>' first.txt
contains "source: inlined from another file" 'Function turn.* inlined from inlined.h' first.txt
report first -scc none -source inlined.cc
absent "scc none: no comments" 'Function .* inlined from' first.txt
report first -scc version:cf -source inlined.cc
contains "scc version: the compiler" '^Compiler: GNU C' first.txt
contains "scc cf: its options" '^Compiler flags: .*-O2' first.txt
report first -scc loop -source inlined.cc
contains "scc loop: says that there are none" 'no comments of class loop' first.txt.err
report first -sthresh 10 -metrics i.totalcpu -source inlined.cc
contains "sthresh" '^## .*/\* first' first.txt
report first -dthresh 100 -metrics i.totalcpu -disasm spin
hot=$(grep -c '^##' first.txt)
report first -dthresh 1 -metrics i.totalcpu -disasm spin
is "dthresh: more instructions are marked where less is asked for" "1 1" "$((hot >= 1)) $(($(grep -c '^##' first.txt) >= hot))"
report first -context 1 -source inlined.cc
contains "context: lines without data are left out" 'lines 1 to [0-9]+: no data' first.txt
report first -metrics i%totalcpu:name -csource spin
within "csource: a line's callee has its time" 25 75 "$(awk '/-> .*hot<1>/ { sub(/^##/, ""); print $1; exit }' first.txt)"
report first -source nowhere.c
is "a file that is not there" 1 $?
report first -scc nonsense -source spin
is "a class that is none" 2 $?

report first -disasm main
status=$?
if grep -q 'the library capstone, which disassembles' first.txt.err; then
	skip "disassembly" "capstone is not here"
else
	is "disasm: exit status" 0 $status
	contains "disasm: calls are named" 'call.* <spin(\(unsigned long\))?>' first.txt
	contains "disasm: stubs are named" 'call.* <clock_gettime@plt>' first.txt
	contains "disasm: source lines between" '[0-9]+\. .*x = spin\(x\) \+ 1; /\* from main' first.txt
	report first -metrics i%totalcpu:name -disasm main
	within "disasm: the call has what is below it" 98 100 "$(awk '/call.* <spin/ { sub(/^##/, ""); print $1; exit }' first.txt)"
	is "disasm: no other instruction has" 1 "$(grep -cE '^## ' first.txt)"
	report first -metrics e%totalcpu:name -disasm 'hot<1>'
	contains "disasm: inlined calls are told" '\(inlined: turn.*, called at inlined.cc:[0-9]+, in twice.*, called at inlined.cc:' first.txt
	contains "disasm: jump targets are marked" '\[ *[0-9]+\] \* ' first.txt
	within "disasm: instructions have the function's half" 25 75 "$(awk '/\[ *[0-9]+\]/ { sub(/^##/, ""); if ($1 ~ /^[0-9.]+$/ && $1 > 0) sum += $1 } END { print sum }' first.txt)"
	report first -dcc hex:nosrc -disasm main
	contains "dcc hex" ': +([0-9a-f]{2} )+ +[a-z]+' first.txt
	absent "dcc nosrc" 'from main' first.txt
	report first -asmsyntax intel -disasm spin
	contains "intel syntax" 'ret' first.txt
	absent "intel syntax has no % before registers" -E '\[ *[0-9]+\].*%r' first.txt
fi
if needs "source as JSON" 1 python3; then
	report first -printmode json -source inlined.cc
	succeeds "source as JSON" python3 -m json.tool first.txt
fi

# ---- debug information of all kinds

for compiler in g++ clang++; do
	if ! have $compiler; then skip "debug information by $compiler" "it is not installed"; continue; fi
	for options in "-gdwarf-4" "-gdwarf-5" "-gdwarf-5 -gz" "-gdwarf-4 -gsplit-dwarf" "-gdwarf-5 -gsplit-dwarf" "-gdwarf-5 -ffunction-sections -fPIE -pie"; do
		name=kind.$compiler.$(tr -dc 'a-z0-9' <<<"$options")
		# shellcheck disable=SC2086
		build program $compiler $options || { not_ok "$compiler $options compiles"; head -5 build.log; continue; }
		record "$name" -p hi -A off -- ./program 0.1
		report "$name" -metrics e%totalcpu:name -source inlined.cc
		contains "$compiler $options: inlined calls are known" 'Function turn.* inlined from inlined.h' "$name.txt"
		differences "$compiler $options: the same frames as other tools" "$name" "$PWD/program"
	done
done

# Packages of split units give the same lines as the separate files. dwp of binutils 2.40 only knows DWARF 4.
for compiler in g++ clang++; do
	for version in 4 5; do
		what="$compiler -gdwarf-$version, packaged"
		if ! have $compiler llvm-dwp; then skip "$what" "no $compiler or no llvm-dwp"; continue; fi
		build program $compiler "-gdwarf-$version" -gsplit-dwarf || { not_ok "$what: compiles"; continue; }
		record "packed.$compiler.$version" -p hi -A off -- ./program 0.1
		report "packed.$compiler.$version" -source inlined.cc -fsummary
		mv "packed.$compiler.$version.txt" single.txt
		limited 30 llvm-dwp -e program -o program.dwp
		is "$what: llvm-dwp" 0 $?
		find . -name '*.dwo' -delete
		report "packed.$compiler.$version" -source inlined.cc -fsummary
		contains "$what: inlined calls are known" 'Function turn.* inlined from inlined.h' "packed.$compiler.$version.txt"
		cmp -s single.txt "packed.$compiler.$version.txt"
		is "$what: the same as from single files" 0 $?
		head -c 300 program.dwp >short.dwp
		mv short.dwp program.dwp
		report "packed.$compiler.$version" -source inlined.cc
		is "$what: a damaged one is none" 0 $?
		rm -f program.dwp && mkfifo program.dwp
		limited 20 "$xer_print" -source inlined.cc "packed.$compiler.$version.er" >/dev/null 2>&1
		is "$what: a FIFO in its place is not waited for" 0 $?
		rm -f program.dwp
	done
done

build program g++ -gdwarf-5 -gsplit-dwarf
record split -p hi -A off -- ./program 0.1
find . -name '*.dwo' -delete
report split -source inlined.cc
contains "split debug information that is gone is named" 'split debug information .*\.dwo is missing' split.txt
contains "and lines are still known" '[0-9] +[0-9]+\. .*/\* from main' split.txt

if have objcopy strip; then
	build program g++ -g
	objcopy --only-keep-debug program program.debug
	strip program
	objcopy --add-gnu-debuglink=program.debug program
	mkdir -p .debug && mv program.debug .debug/
	record linked -p hi -A off -- ./program 0.1
	report linked -source spin
	contains "a debug file by its link" 'Function turn.* inlined from inlined.h' linked.txt
	"$xer_archive" linked.er
	mv .debug gone && mv program gone/
	report linked -source spin
	contains "the debug file from the archive" 'Function turn.* inlined from inlined.h' linked.txt

	# Without a build-id the checksum of the debug link decides.
	build program g++ -g -Wl,--build-id=none
	objcopy --only-keep-debug program program.debug
	strip program
	objcopy --add-gnu-debuglink=program.debug program
	record summed -p hi -A off -- ./program 0.1
	report summed -source spin
	contains "a debug file by the checksum of its link" 'Function turn.* inlined from inlined.h' summed.txt
	report summed -lines
	contains "and its lines" 'inlined\.h' summed.txt
	echo >>program.debug
	# A stripped program may have no function left whose source could be shown.
	report summed -lines
	absent "but not one that has another" 'inlined\.h' summed.txt
	# A file with nothing but holes, and so large that its checksum would take hours; some file systems cannot have such
	# files.
	if rm program.debug && truncate -s 8T program.debug; then
		limited 60 "$xer_print" -functions summed.er >holes.txt 2>&1
		is "a file of holes in its place is not read to its end" 0 $?
	else
		skip "a file of holes in place of a debug file" "it cannot be made here"
	fi
	rm -f program.debug && mkfifo program.debug
	limited 20 "$xer_print" -functions summed.er >fifo.txt 2>&1
	is "a FIFO in its place is not waited for" 0 $?
	rm program.debug
else
	skip "separate debug files" "objcopy or strip is missing"
fi

if have dwz objcopy; then
	build program g++ -g && cp program other
	dwz -m common.dwz program other 2>build.log
	record dwz -p hi -A off -- ./program 0.1
	differences "shared debug information of dwz" dwz "$PWD/program"
	"$xer_archive" dwz.er
	rm -f program other common.dwz
	report dwz -source spin
	contains "shared debug information from the archive" 'Function turn.* inlined from inlined.h' dwz.txt
	rm dwz.er/archives/common.dwz_*
	report dwz -source spin
	contains "shared debug information that is gone is named" '^# shared debug information .*common\.dwz is missing: ' dwz.txt
else
	skip "shared debug information" "dwz is missing"
fi

# ---- files that have moved

build program g++ -g
record moved -p hi -A off -- ./program 0.1
was=$PWD/src
mv src elsewhere && mv program elsewhere/
report moved -source spin
is "nothing is there: exit status" 1 $?
report moved -functions
absent "the object has moved: no names" ' spin' moved.txt
report moved -pathmap "$PWD" "$PWD/elsewhere" -functions
contains "pathmap finds the object" ' spin' moved.txt
echo "functions
addpath $PWD/elsewhere
functions" >script
report moved -script script
contains "addpath finds it, also after a report" ' spin' moved.txt
mv elsewhere/program program
report moved -source spin
is "the source has moved: exit status" 1 $?
contains "it says where it looked" "tried: $was/inlined.cc.*pathmap" moved.txt.err
report moved -pathmap "$was" "$PWD/elsewhere" -source spin
is "pathmap finds it" 0 $?
contains "and says so" '^Found: .*/elsewhere/inlined.cc \(by pathmap\)' moved.txt
report moved -setpath "$PWD/nowhere:$PWD/elsewhere" -source spin
contains "setpath finds it" '^Found: .*/elsewhere/inlined.cc \(by setpath\)' moved.txt
echo "addpath $PWD/elsewhere
source spin" >script
report moved -script script
contains "addpath finds it" '\(by setpath\)' moved.txt
mv elsewhere src
touch -d '+1 hour' src/inlined.cc
report moved -source spin
contains "a source that was changed" '# warning: .*inlined.cc was changed' moved.txt
touch -d '-1 hour' src/inlined.cc

if have clang; then
	# clang writes no checksums if one of the files has none, as system headers have.
	echo 'int main(void) { for (volatile int i = 0; i < 40000000; i++) ; return 0; }' >src/sum.c
	(cd src && clang -O2 -gdwarf-5 -o ../sum sum.c)
	record sum -p hi -A off -- ./sum
	touch -d '+1 hour' src/sum.c
	report sum -source main
	absent "a source of the same contents, whatever its time" warning sum.txt
	echo >>src/sum.c
	touch -d '-1 hour' src/sum.c
	report sum -source main
	contains "a source of other contents" '# warning: .*sum.c is not what was compiled' sum.txt
else
	skip "sums of sources" "clang is missing"
fi

"$xer_archive" -a src moved.er
rm -rf program && mv src gone.src && mkdir away && mv moved.er away/
limited 60 "$xer_print" -source spin away/moved.er >archived.txt 2>archived.err
is "source and program are gone: exit status" 0 $?
contains "the source is archived" '\(from the archive\)' archived.txt
limited 60 "$xer_print" -disasm main away/moved.er >archived.txt 2>archived.err
if ! grep -q 'the library capstone, which disassembles' archived.err; then
	contains "and the instructions" 'call.* <spin' archived.txt
fi
mv gone.src src

# ---- debuginfod

if PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | grep -q libdebuginfod.so.1 && have objcopy readelf; then
	build program g++ -g
	id=$(readelf -n program | awk '/Build ID/ { print $3 }')
	record served -p hi -A off -- ./program 0.1
	mkdir -p "server/buildid/$id/source$PWD/src"
	objcopy --only-keep-debug program "server/buildid/$id/debuginfo"
	strip program && mv program "server/buildid/$id/executable"
	cp src/inlined.cc "server/buildid/$id/source$PWD/src/"
	mv src gone.src
	export DEBUGINFOD_URLS="file://$PWD/server/" DEBUGINFOD_CACHE_PATH=$PWD/cache
	report served -source spin
	is "object, debug file and source from a server: exit status" 0 $?
	contains "it says so" '\(from a debuginfod server\)' served.txt
	contains "inlined calls are known" 'Function turn.* inlined from inlined.h|Function twice' served.txt
	cp -r served.er escaping.er
	rm -rf escaping.er/archives
	sed -i 's#build_id="[^"]*"#build_id="../escaped"#' escaping.er/map.xml
	report escaping -functions
	is "a malformed build-id leads to no place outside the cache" 0 "$(ls -d escaped 2>/dev/null | wc -l)"
	unset DEBUGINFOD_URLS
	report served -source spin
	is "without the variable nobody is asked" 1 $?
	if needs "a server that keeps silent is given up" 1 python3; then
		python3 -c '
import socket, time
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(16)
print(server.getsockname()[1], flush=True)
time.sleep(60)' >port &
		server=$!
		for _ in $(seq 50); do [ -s port ] && break; sleep 0.1; done
		export DEBUGINFOD_URLS="http://127.0.0.1:$(cat port)/" DEBUGINFOD_CACHE_PATH=$PWD/cache2 DEBUGINFOD_TIMEOUT=2
		SECONDS=0
		report served -functions
		within "a server that keeps silent is given up" 0 15 "$SECONDS"
		unset DEBUGINFOD_URLS DEBUGINFOD_TIMEOUT
		kill $server
		wait $server 2>/dev/null
	fi
	mv gone.src src
else
	skip "debuginfod" "libdebuginfod is missing"
fi

# The search path finds another file of the same name: older than the recording, but too short.
mkdir elsewhere there && printf 'int other;\n' >elsewhere/maker.c && touch -d '2001-01-01' elsewhere/maker.c
printf '#include <stdlib.h>\n\n\nvoid *volatile kept;\n\nint main(void)\n{\n\tkept = malloc(77);\n\treturn 0;\n}\n' >there/maker.c
if gcc -gdwarf-4 -O1 -o maker "$PWD/there/maker.c" 2>/dev/null; then
	record maker -p off -S off -H on -- ./maker
	report maker -source main
	absent "the file itself" 'is not what was compiled' maker.txt
	rm there/maker.c
	report maker -setpath "$PWD/elsewhere" -source main
	contains "a warning names another file of the same name" '^# warning: .*/elsewhere/maker.c is not what was compiled: it ends with line 1, and there is code of line [0-9]+$' maker.txt
fi

# Lambdas have all one name, and no declaration of it: they are told apart by their places.
cat >lambda.cc <<'END'
static volatile unsigned long sum;
int main()
{
	auto turn = [](unsigned long n) {
		for (unsigned long i = 0; i < n; i++)
			sum = sum + i * i;
	};

	auto other = [](unsigned long n) {
		for (unsigned long i = 0; i < n; i++)
			sum = sum ^ i;
	};

	turn(100000000);
	other(60000000);
	return 0;
}
END
if have "${CXX:-g++}" && ${CXX:-g++} -g -O2 -o lambda lambda.cc >build.log 2>&1; then
	record lambda -p hi -- ./lambda
	report lambda -functions
	is "each lambda has its place" "1 1" "$(grep -c ' operator() at lambda.cc:4$' lambda.txt) $(grep -c ' operator() at lambda.cc:9$' lambda.txt)"
	report lambda -fsingle 'operator() at lambda.cc:4'
	contains "fsingle names the file of a lambda" '^ *Source File: .*/lambda\.cc$' lambda.txt
	report lambda -printmode json -fsingle 'operator() at lambda.cc:4'
	contains "and for programs" '/lambda\.cc"' lambda.txt
else
	skip "the file of a lambda" "it cannot be built"
fi

# ---- a program without an experiment
make_listing() { "$(dirname "$xer_print")/xer_src" "$@" >listing.txt 2>listing.err; }
build src_program g++ -g
make_listing src_program
is "xer_src lists the functions of a program" 0 $?
contains "with their places" '^0x[0-9a-f]{8} +[0-9]+ +main$' listing.txt
is "all of them" "" "$(nm -C --defined-only src_program | awk '$2 ~ /[tT]/ { $1 = $2 = ""; print substr($0, 3) }' | sort -u | while IFS= read -r name; do grep -qF -- " $name" listing.txt || echo "$name"; done)"
make_listing -source inlined.cc -disasm main src_program
is "and source and instructions" 0 $?
contains "the source" '1\. ' listing.txt
contains "instructions" '<Function: main>' listing.txt
is "nothing is said of quality or metrics" 0 "$(grep -c 'quality\|sec\.' listing.txt)"
make_listing /usr/lib/os-release
is "what is no program: exit status" 1 $?
contains "and the reason" '^xer_src: .*not an experiment: .* nor a program' listing.err
make_listing -source mian src_program
contains "a name is guessed" "did you mean 'main'" listing.err
make_listing
is "without a program: exit status" 2 $?
