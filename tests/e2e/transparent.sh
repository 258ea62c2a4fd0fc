# The target must not notice: exit status, signals, output, environment, descriptors, signal masks.
. "$(dirname "$0")/lib.sh"

# same CLAIM COMMAND...: the program's output and exit status are as without recording
same()
{
	local claim=$1 plain recorded
	shift
	limited 60 "$@" >plain.out 2>plain.err
	plain=$?
	limited 60 "$xcollect" -A off -O same.er -H on -p hi "$@" >recorded.out 2>recorded.err
	recorded=$?
	is "$claim: exit status" "$plain" "$recorded"
	cmp -s plain.out recorded.out
	is "$claim: standard output" 0 $?
	is "$claim: standard error" "$(cat plain.err)" "$(grep -v '^Creating experiment\|^xcollect: clock samples come at' recorded.err)"
}

for way in exit _exit quick_exit return; do
	for code in 0 3 255; do
		"$xcollect" -A off -O exit.er -H on "$programs/exitcodes" $way $code 2>/dev/null
		is "$way $code" "$code" $?
	done
done
rm -rf quick.er
"$xcollect" -A off -O quick.er "$programs/exitcodes" quick_exit 3 2>/dev/null
contains "quick_exit is recorded as an end" 'kind="exit".* code="3"' quick.er/log.xml
"$xcollect" -A off -O exit.er "$programs/exitcodes" pthread_exit 0 2>/dev/null
is "pthread_exit of the last thread" 0 $?
"$xcollect" -A off -O exit.er "$programs/exitcodes" exec 5 2>/dev/null
is "exec of another program" 5 $?
for signal in 1 9 10 11 13 14 15 27 61; do
	{ (exec "$xcollect" -A off -O signal.er "$programs/exitcodes" signal $signal); } 2>/dev/null
	is "death by signal $signal" $((128 + signal)) $?
done
{ (exec "$xcollect" -A off -O signal.er "$programs/exitcodes" abort 0); } 2>/dev/null
is "abort" 134 $?

same "environment" env
same "environment of a shell's child" sh -c 'env; env | grep -c LD_'
same "what ldd lists" sh -c 'ldd /bin/true | sed "s/(.*//"; exit 3'
same "what env gives the loader to list" sh -c 'env LD_TRACE_LOADED_OBJECTS=1 /bin/true | sed "s/(.*//"; exit 4'
same "/proc/self/environ" grep -c -a 'XER_RECORD\|libcollector' /proc/self/environ
LD_PRELOAD=libm.so.6 same "/proc/self/environ with an LD_PRELOAD" grep -c -a 'XER_RECORD\|libcollector' /proc/self/environ
LD_PRELOAD=libm.so.6 same "the user's LD_PRELOAD" sh -c 'echo $LD_PRELOAD; grep -c libm /proc/self/maps'
same "descriptors below 100" sh -c 'ls /proc/self/fd | sort -n | awk "\$1 < 100"'
same "signal mask and ignored signals" grep '^Sig\(Blk\|Ign\)' /proc/self/status
same "standard input" sh -c 'echo hello | cat; read x; echo "got $x"'
same "arguments" printf '%s\n' "a b" '' '*' $'\xff'
same "stacks that are unmapped" "$programs/coroutines"
same "a failing command" ls /no/such/file
(trap '' HUP PIPE INT && same "ignored signals" grep '^SigIgn' /proc/self/status)
same "a closed standard input" sh -c 'cat <&-; echo $?'
printf '#!/bin/sh\necho "$0" "$@"\n' >script && chmod +x script
same "a script sees its name" ./script 1 2

"$xcollect" -A off -O closed.er sh -c 'exit 4' >&- 2>&- <&-
is "closed standard descriptors" 4 $?
"$xcollect" -A off -O eintr.er -p hi "$programs/eintr" 800 >eintr.out 2>/dev/null
is "no call is interrupted by profiling" "eintr 0" "$(cat eintr.out)"
"$xcollect" -A off -O mask.er -p hi "$programs/sigmask" 0.3 >/dev/null 2>&1
is "a thread's signal mask is its own" 0 $?
"$xcollect" -A off -O closefrom.er -H on bash -c 'for fd in $(seq 3 300); do eval "exec $fd>&-"; done; echo alive' >closefrom.out 2>/dev/null
is "a program that closes all descriptors" alive "$(cat closefrom.out)"
(trap '' 61 && same "our signal, ignored" bash -c 'kill -61 $$; echo alive')
if [ "$(id -u)" = 0 ]; then
	"$xcollect" -A off -O jail.er -H on -p hi "$programs/jail" 2>/dev/null
	is "nothing is written to the program's own directories" "0 " "$? $(ls jail)"
else
	skip "nothing is written to the program's own directories" "chroot needs root"
fi
"$xcollect" -A off -O bg.er sleep 30 2>/dev/null &
pid=$!
sleep 0.3
is "the pid is the program's" sleep "$(cat /proc/$pid/comm)"
kill -TERM $pid
wait $pid 2>/dev/null
is "a signal to the pid reaches the program" 143 $?

# The process that archives at the end must not appear as a child of the program.
for how in handler thread; do
	record reaper$how -p off -H on -A on -- "$programs/reaper" $how
	is "a $how that is notified of children sees none of the recorder's" "0 end" "$? $(cat reaper$how.out)"
	contains "$how: archives are made" 'libc' <(ls reaper$how.er/archives)
done
