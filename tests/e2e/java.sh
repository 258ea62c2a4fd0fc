# Java: stacks of interpreted, compiled and inlined methods, code that the JVM compiles, and that the program runs as without
# recording.
source=$(realpath "$(dirname "$0")/../programs/JavaKnown.java")
. "$(dirname "$0")/lib.sh"

have java javac || { skip "Java" "there is no JDK"; exit 0; }
javac -d . -sourcepath "$(dirname "$source")/../../share/java" "$source" || { not_ok "JavaKnown is compiled"; exit 1; }

# ---- known shares of CPU time

record split -A off -p hi -- java -cp . JavaKnown split
is "the program ends as it does alone" 0 $?
is "nothing is said on its standard error" "" "$(grep -v '^Creating experiment\|^xcollect: clock samples come at' split.err)"
report split -name short -metrics e.totalcpu -functions
total=$(awk '/^work_/ { sum += $2 } END { print sum }' split.out)
recorded=$(awk '$NF ~ /^JavaKnown.work_.$/ { sum += $1 } END { print sum }' split.txt)
for method in a b c d; do
	wanted=$(awk -v name=work_$method -v total="$total" '$1 == name { print $2 * 100 / total }' split.out)
	got=$(awk -v name=JavaKnown.work_$method -v total="$recorded" '$NF == name { print $1 * 100 / total }' split.txt)
	within "share of work_$method" "$(awk -v x="$wanted" 'BEGIN { print x - 2 }')" "$(awk -v x="$wanted" 'BEGIN { print x + 2 }')" "$got"
done
within "all of their CPU time is there" 0.97 1.03 "$(awk -v a="$recorded" -v b="$total" 'BEGIN { print a * 1000 / b }')"

report split -name short -csingle JavaKnown.work_a
contains "who calls them" 'JavaKnown\.main|JavaKnown\.split' split.txt
report split -name short -metrics e.totalcpu -lines
contains "lines of source" 'JavaKnown\.work_a, line 26 in "JavaKnown.java"' split.txt
report split -name short -viewmode expert -calltree
contains "expert mode has the interpreter" '\+-Interpreter$' split.txt
contains "and the machine" '\+-JavaCalls::call_helper' split.txt
report split -name short -viewmode machine -calltree
contains "machine mode has the stub that calls Java" '\+-call_stub$' split.txt
absent "but no interpreted methods" 'JavaKnown.main' split.txt
contains "and compiled ones" '\+-JavaKnown\.work_a$' split.txt
report split -name mangled -functions
contains "names with signatures" 'JavaKnown\.work_a\(J\)J$' split.txt
report split -name long -functions
contains "names with types" 'JavaKnown\.work_a\(long\)$' split.txt
report split -name short -filters 'FNAME("JavaKnown.work_b.*") IN USTACK' -metrics e.totalcpu -functions
is "a filter by method" 1 "$(grep -c 'JavaKnown.work_.$' split.txt)"
report split -name short -filters 'FNAME("Interpreter") IN MSTACK' -metrics e.totalcpu -functions
contains "a filter by what the machine sees" 'JavaKnown.work_b$' split.txt
report split -name short -viewmode machine -disasm JavaKnown.work_d 1
contains "compiled code, with lines" '\[  29\].*:  (imul|ret)' split.txt
report split -name short -disasm JavaKnown.work_d
contains "which is not there in user mode" "viewmode machine" split.txt.err
report split -name short -addpath "$(dirname "$source")" -source JavaKnown.work_d
contains "source with metrics" '^ *[0-9.]+ +[0-9.]+ .*29\. .*work_d' split.txt

# ---- a JVM that checks who calls it

java -Xcheck:jni -cp . JavaKnown threads 1 >checked.bare 2>&1
record checked -p hi -s on -H on -- java -Xcheck:jni -cp . JavaKnown threads 1
is "the machine finds no fault with the recorder" "$(cat checked.bare)" "$(cat checked.out; grep -v '^Creating experiment\|^xcollect: clock samples come at' checked.err)"
"$xer_archive" -verify checked.er >checked.txt 2>&1
is "nothing is missing in its archive: the machine's own stubs are never kept" 0 $?
rm -rf checked.er

# ---- a machine that was there before

if traces; then
	java -cp . JavaKnown threads 300 >late.out 2>&1 &
	target=$!
	wait_for grep -q libjvm.so "/proc/$target/maps"
	sleep 0.3
	limited 60 "$xcollect" -P "$target" -o late.er -A off >/dev/null 2>late.err
	wait "$target"
	is "a machine that was there before goes on" "0 done" "$? $(cat late.out)"
	report late -header
	contains "that Java is not recorded is said" '^  at .* Java is not recorded: its machine was there before' late.txt
else
	skip "a machine that was there before" "no tracing here" 2
fi

# ---- all stacks are whole

record threads -A off -p hi -s all -- java -cp . JavaKnown threads 300
is "four threads" "0 done" "$? $(cat threads.out)"
# Every wait at the JVM's own locks has a stack too, wherever the thread was: far more stacks than samples. Only stacks that are
# taken while frames are exchanged are cut.
events=$(sed -n 's/.*<count name="sync_events" value="\([0-9]*\)".*/\1/p' threads.er/log.xml)
cut=$(sed -n 's/.*<count name="stacks_truncated" value="\([0-9]*\)".*/\1/p' threads.er/log.xml)
within "share of whole stacks, of $events" 97 100 "$(awk -v all="$events" -v cut="${cut:-0}" 'BEGIN { print 100 - cut * 100 / all }')"
report threads -name short -metrics i.totalcpu -calltree
# How many of the samples in Java code have a stack that begins where threads begin?
within "share of samples with all frames of Java" 97 100 "$(awk '
	/\+-/ { name = $0; sub(/.*\+-/, "", name); depth = index($0, "+-") }
	name == "<Total>" && !root { root = depth; next }
	/\+-/ && depth == root + 2 && name ~ /^<Truncated-stack>$|\./ { all += $1; if (name !~ /^<|^JavaKnown\.work$/) whole += $1 }
	END { print whole * 100 / all }' threads.txt)"
report threads -name short -metrics i.totalcpu -functions
for method in sort hash count work; do
	contains "$method is seen" " JavaKnown\.$method\$" threads.txt
done
contains "library methods" ' java\.util\.TimSort\.' threads.txt
contains "the machine in one" ' <JVM-System>$' threads.txt

# ---- what the JVM reports

record told -A off -s all,j -- java -Xmx24m -cp . JavaKnown threads 200
report told -locks
contains "monitors by class" ' monitor  .*java\.lang\.Object@[0-9a-f]+; longest wait in JavaKnown\.count' told.txt
absent "-s ,j: no native objects" -E ' (mutex|condition) ' told.txt
report told -name short -sync
contains "where a monitor is waited for" 'JavaKnown\.count, line 7[0-9] in "JavaKnown\.java"' told.txt
report told -thread_list
contains "threads have their names" ' (sorter|hasher)' told.txt
contains "the first one too" ' main' told.txt
report told -gcevents
within "garbage collections" 1 100000 "$(awk '/Garbage Collections/ { print $3 }' told.txt)"
within "their time" 0.0001 60 "$(awk '/^  Time / { print $2; exit }' told.txt)"
contains "classes that were loaded" '<class id="[0-9]+" name="JavaKnown" ' told.er/map.xml
report told -header all
contains "the header counts classes" '^Java +[0-9]+ classes, [0-9]+ times' told.txt
record native -A off -s all,n -- java -cp . JavaKnown threads 50
report native -locks
absent "-s ,n: no monitors" ' monitor ' native.txt
contains "but what the machine itself waits for" ' (mutex|condition) ' native.txt

# ---- objects by class

record objects -A off -p off -H on -- java -Xmx100m -cp . JavaKnown threads 300
report objects -printmode csv -javaheap
# hash() makes 300 * 20000 strings of 24 bytes, of which about 300 are sampled: six standard deviations are 35 %.
within "bytes of strings, in millions" 94 194 "$(awk -F, '$6 == "java.lang.String" { print $1 / 1e6 }' objects.txt)"
within "whose interval is as wide as so many samples make it" 0.15 0.35 "$(awk -F, '$6 == "java.lang.String" && $2 < $1 && $1 < $3 { print ($3 - $2) / $1 }' objects.txt)"
contains "arrays by their types" ',byte\[\],' objects.txt
report objects -javaheap
contains "where they are allocated" ' java\.util\.HashMap\$Node +java\.util\.HashMap\.newNode\(' objects.txt

# ---- control by the program

is "collector.CollectorAPI without a recording" done "$(java -cp . JavaKnown control)"
record control -A off -p hi -- java -cp . JavaKnown control
is "with one" "0 done" "$? $(cat control.out)"
contains "its sample" 'kind="sample" .*name="first"' control.er/log.xml
contains "its pause" 'kind="pause"' control.er/log.xml
report control -name short -functions
contains "what is not paused" ' JavaKnown\.work_b$' control.txt
absent "what is paused, and after the end" -E ' JavaKnown\.work_[ac]$' control.txt

# ---- other ways to start Java

record off -A off -j off -- java -cp . JavaKnown threads 1
absent "-j off: nothing of methods" '<method' off.er/map.xml
record class -A off -j on -J "-Xmx64m -Xint" -- JavaKnown.class variable
contains "FILE.class, with arguments of the machine" '^null \[-Xmx64m, -Xint\]$' class.out
JAVA_TOOL_OPTIONS=-Dx=y record tool -A off -- java -cp . JavaKnown variable
contains "the user's JAVA_TOOL_OPTIONS" '^-Dx=y \[-Dx=y\]$' tool.out
is "and what the machine says of it" "Picked up JAVA_TOOL_OPTIONS: -Dx=y" "$(grep -v '^Creating experiment\|^xcollect: clock samples come at' tool.err)"
record shell -A off -- sh -c 'java -cp . JavaKnown threads 20; true'
report shell -name short -metrics i.totalcpu -functions
contains "a descendant" ' JavaKnown\.work$' shell.txt
"$xcollect" -A off -J -Xint true >no.out 2>&1
is "-J of what is no Java program" "125 1" "$? $(grep -c 'no Java program' no.out)"

# ---- killed, and with little room on the disk: everything that map.xml names is there

# Names of methods and functions whose lines, code or tables are missing in dyntext.
dangling() {
	awk -v end="$(stat -c %s "$1.er/dyntext")" '
		function value(key) { return match($0, " " key "=\"[0-9]+") ? substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) + 0 : 0 }
		/<(method|function) .* offset=/ { all++
			size = /<method/ ? 8 * value("lines") : value("size") + 8 * value("places") + 12 * value("calls")
			if (value("offset") + size > end) count++ }
		END { print (all > 100 ? count + 0 : "only " all " in all") }' "$1.er/map.xml"
}
"$xcollect" -A off -p off -o kill9.er java -cp . JavaKnown threads 100000 >kill9.out 2>&1 &
java=$!
for ((i = 0; i < 600; i++)); do
	compiled=$(grep -c '<function .*places=' kill9.er/map.xml 2>/dev/null)
	[ "${compiled:-0}" -lt 200 ] || break
	sleep 0.1
done
kill -9 $java
wait $java 2>/dev/null
is "killed: no bytes are missing" 0 "$(dangling kill9)"
report kill9 -header all
contains "and its classes are counted" '^Java +[0-9]+ classes' kill9.txt
(ulimit -f 300; "$xcollect" -A off -p off -o limit.er java -cp . JavaKnown threads 100 >limit.out 2>&1)
is "a limit for files: the program runs" "0 done" "$? $(tail -1 limit.out)"
is "no bytes are missing either" 0 "$(dangling limit)"

# ---- a JVM in a C program, which is linked with it or loads it

cat >embedded.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jni.h>
#include <stdio.h>
#ifdef LOADED
#define JNI_CreateJavaVM ((jint(*)(JavaVM **, void **, void *))dlsym(dlopen(LOADED, RTLD_NOW), "JNI_CreateJavaVM"))
#endif
int main(void)
{
	if (dlsym(RTLD_DEFAULT, "main_of_nobody") || !dlsym(RTLD_NEXT, "malloc"))
		return 2;
	JavaVMOption option = {"-Djava.class.path=.", NULL};
	JavaVMInitArgs arguments = {JNI_VERSION_10, 1, &option, JNI_FALSE};
	JavaVM *machine;
	JNIEnv *env;

	if (JNI_CreateJavaVM(&machine, (void **)&env, &arguments) != 0)
		return 1;
	jclass class = (*env)->FindClass(env, "JavaKnown");
	jclass string = (*env)->FindClass(env, "java/lang/String");
	jobjectArray words = (*env)->NewObjectArray(env, 2, string, (*env)->NewStringUTF(env, "threads"));

	(*env)->SetObjectArrayElement(env, words, 1, (*env)->NewStringUTF(env, "40"));
	(*env)->CallStaticVoidMethod(env, class, (*env)->GetStaticMethodID(env, class, "main", "([Ljava/lang/String;)V"), words);
	return (*machine)->DestroyJavaVM(machine);
}
END
home=$(dirname "$(dirname "$(realpath "$(command -v javac)")")")
if have gcc && [ -e "$home/include/jni.h" ] &&
	gcc -g -o embedded embedded.c -I"$home/include" -I"$home/include/linux" -L"$home/lib/server" -ljvm -Wl,-rpath,"$home/lib/server"; then
	record embedded -A off -p hi -- ./embedded
	is "a machine in another program: it runs" "0 done" "$? $(cat embedded.out)"
	report embedded -name short -metrics i.totalcpu -functions
	contains "its methods are seen" ' JavaKnown\.work$' embedded.txt
	report embedded -name short -viewmode expert -metrics i.totalcpu -functions
	contains "beside what made it" ' main$' embedded.txt
	gcc -g -DLOADED="\"$home/lib/server/libjvm.so\"" -o loading embedded.c -I"$home/include" -I"$home/include/linux" -ldl
	record loading -A off -p hi -- ./loading
	is "a machine that is loaded: it runs" "0 done" "$? $(cat loading.out)"
	report loading -name short -metrics i.totalcpu -functions
	contains "its methods are seen too" ' JavaKnown\.work$' loading.txt
	# As the module of an interpreter does it.
	sed 's/^int main(void)/int enter(void)/' embedded.c >module.c
	gcc -g -shared -fPIC -DLOADED="\"$home/lib/server/libjvm.so\"" -o module.so module.c -I"$home/include" -I"$home/include/linux" -ldl
	echo 'int main(void) { return ((int (*)(void))dlsym(dlopen("./module.so", RTLD_NOW), "enter"))(); }' >interpreter.c
	gcc -D_GNU_SOURCE -include dlfcn.h -o interpreter interpreter.c -ldl
	record module -A off -p hi -- ./interpreter
	is "a machine that a loaded library loads: it runs" "0 done" "$? $(cat module.out)"
	report module -name short -metrics i.totalcpu -functions
	contains "its methods are seen as well" ' JavaKnown\.work$' module.txt
else
	skip "a machine in another program" "no gcc, or no jni.h"
fi

# ---- a library with the name of a JVM that is none: it reports nothing, and has no JVMTI

mkdir fake
cat >fake/jvm.c <<'EOF'
#include <stddef.h>
static int no_env(void *machine, void **env, int version) { (void)machine; (void)version; *env = NULL; return -3; }
static void *functions[8] = {[6] = no_env};
static struct { void **functions; } machine = {functions};
int JNI_CreateJavaVM(void **vm, void **env, void *arguments) { (void)arguments; *vm = *env = &machine; return 0; }
EOF
cat >fake/jli.c <<'EOF'
#include <dlfcn.h>
int launch(void)
{
	int (*create)(void **, void **, void *) = dlsym(dlopen("libjvm.so", RTLD_NOW), "JNI_CreateJavaVM");
	void *machine, *env;
	return create ? create(&machine, &env, 0) : 9;
}
EOF
printf '#include <stdio.h>\nint launch(void);\nint main(void) { return printf("made %%d\\n", launch()) < 0; }\n' >fake/java.c
if have gcc && gcc -shared -fPIC -o fake/libjvm.so fake/jvm.c && gcc -shared -fPIC -o fake/libjli.so fake/jli.c -ldl &&
	gcc -o fake/java fake/java.c -Lfake -ljli; then
	for way in on default; do
		asked=()
		[ $way = default ] || asked=(-j on)
		LD_LIBRARY_PATH=$PWD/fake record fake_$way -A off "${asked[@]}" -- fake/java
		is "a machine that refuses, $way: the run goes on" "0 made 0" "$? $(cat fake_$way.out)"
		contains "$way: the reason is in the log" 'kind="warning" .*Java is not recorded: the machine has no JVMTI' fake_$way.er/log.xml
	done
	is "on: one line tells of it" 1 "$(grep -c 'Java is not recorded' fake_on.err)"
	absent "default: none" 'Java is not recorded' fake_default.err
	report fake_default -header all
	contains "and the header" 'Java is not recorded' fake_default.txt
else
	skip "a machine that refuses" "no gcc"
fi

# ---- waits that never end

javac -d . "$(dirname "$source")/JavaStuck.java" || not_ok "JavaStuck is compiled"
record stuck -A off -p off -s on,j -- java -cp . JavaStuck
is "a program with a deadlock is halted" 3 $?
report stuck -limit 0 -name short -syncwaits
# (From JDK 21 on the native method is wait0.)
is "a deadlock of monitors: who waits" "2 JavaStuck.takes, 1 java.lang.Object.wait 1 JavaStuck.waits" "$(
	awk '/^  monitor enter\(java.lang.Object@.*has not ended$/ { getline; enters[$1]++ } /^  Object.wait\(java.lang.Class@.*has not ended$/ { getline; if ($1 ~ /wait0/) getline; sub(",", "", $1); waits[$1]++; getline; getline; sub(",", "", $1); waits[$1]++ }
		END { for (name in enters) print enters[name], name; for (name in waits) print waits[name], name }' stuck.txt | sort -r | xargs)"

# ---- wall-clock time

javac -d . "$(dirname "$source")/JavaWaits.java" || not_ok "JavaWaits is compiled"
record known -w on -i on -s on,j -j on -p off -A off -- java -cp . JavaWaits
is "a program that waits in five ways" "0 5" "$? $(grep -c '^do' known.out)"
report known -metrics i.total:i.lock:i.cond:i.socket:name -functions
# (The tables have the CPU time of the methods beside what they waited for; so has the program.)
is "each method has its time, within 5 ms or 1 %, most of it in its state" "" "$(awk '
	NR == FNR { state[$1] = $2; seconds[$1] = $3; next }
	/JavaWaits\.do/ && match($0, /do[A-Z][a-z]+/) {
		name = substr($0, RSTART, RLENGTH)
		apart = $1 - seconds[name]
		column = state[name] == "lock" ? 2 : state[name] == "cond" ? 3 : 4
		if (apart < 0.005 + seconds[name] / 100 && apart > -0.005 - seconds[name] / 100 && $column > $1 / 2) delete seconds[name]
	}
	END { for (name in seconds) print name, seconds[name] }' known.out known.txt)"
report known -limit 0 -waits
contains "who wrote to a socket" '^  written by thread [0-9]+ \(writer\) at .*' known.txt
