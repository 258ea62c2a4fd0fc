# Full disks and file size limits: the target runs on unharmed, and the loss is recorded and shown.
. "$(dirname "$0")/lib.sh"

# lossy CLAIM NAME: the experiment is readable and reports losses
lossy()
{
	report "$2" -header all
	is "$1: xer_print exits 0" 0 $?
	contains "$1: the loss is shown" '[Ll]os[st]' "$2.txt"
}

(
	trap '' XFSZ
	trap - XFSZ
	ulimit -f 256
	record limit -A off -p hi -H on -- "$programs/crash" 100000 2 exit
	exit $?
)
is "a limit of 256 KiB: the program ends well" 0 $?
lossy "a limit of 256 KiB" limit
(
	ulimit -f 4
	record tiny -A off -p hi -H on -- "$programs/crash" 1000 1 exit
	status=$?
	[ $status = 0 ] || [ $status = 125 ]
)
is "a limit of 4 KiB: no signal" 0 $?

if [ "$(id -u)" = 0 ] && mkdir full && mount -t tmpfs -o size=512k tmpfs full 2>/dev/null; then
	trap 'umount full' EXIT
	limited 60 "$xcollect" -o full/full.er -A off -p hi -H on "$programs/crash" 200000 4 exit >full.out 2>full.err
	is "a full disk: the program ends well" 0 $?
	"$xer_print" -header all full/full.er >full.txt 2>&1
	is "a full disk: xer_print exits 0" 0 $?
	contains "a full disk: the loss is shown" '[Ll]os[st]' full.txt
	"$xer_print" -functions full/full.er >full.txt 2>&1
	contains "a full disk: what was recorded is there" 'allocate' full.txt
	# The archive does not fit either.
	rm -rf full/full.er
	limited 60 "$xcollect" -o full/full.er -A on -p hi "$programs/burn50" 0.3 >full.out 2>full.err
	is "a full disk while archiving: the program ends well" 0 $?
	dd if=/dev/zero of=full/fill bs=1k 2>/dev/null
	"$xcollect" -o full/none.er true 2>none.err
	is "no room for the experiment at all: 125" 125 $?
	[ ! -e full/none.er ]
	is "no room: nothing is left" 0 $?
else
	skip "a full disk" "mounting a tmpfs needs root"
fi

# A size limit ends events but not usage samples, and the header says so.
record limited -p off -H on -L 1 -S 0.01 -- "$programs/heap_cost" 2000000 5
is "the program runs on past the limit" 0 $?
report limited -header all
contains "the header says that the limit was reached" 'size limit is reached' limited.txt
within "the data keep to it" 1 1048576 "$(stat -c %s limited.er/heaptrace)"

# The limit is for all processes together, and stacks count too.
# sizes NAME: bytes of the data of all processes, without logs (which hold the layout of the records) and archives
sizes() { find "$1.er" -type f ! -name log.xml ! -path '*/archives/*' -printf '%s\n' | awk '{ sum += $1 } END { print sum + 0 }'; }
record family -p off -H on -A off -L 2 -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do "$1" 50000 1; done' sh "$programs/heap_cost"
is "ten children under a limit end well" 0 $?
is "each has an experiment" 11 "$(find family.er -name log.xml | wc -l)"
within "their data keep to it together" $((1 << 20)) $((5 << 19)) "$(sizes family)"
record stacks -p off -H on -A off -L 4 -- "$programs/many_stacks" 17
is "a program of many stacks runs on past the limit" 0 $?
report stacks -header all
contains "the header says that" 'size limit is reached' stacks.txt
within "its stacks count" $((3 << 20)) $((5 << 20)) "$(sizes stacks)"
record loaded -p off -H on -A off -L 1 -- "$programs/dl" 6000 1
is "a program that loads a library 6,000 times runs on past the limit" "0 rounds 6000" "$? $(cat loaded.out)"
within "descriptions of libraries count, and end with the events" $((1 << 19)) $((3 << 19)) "$(sizes loaded)"

# -t: events only between two times, but usage samples always.
record window -p on -S 0.05 -t 0.4-0.9 -- "$programs/burn50" 1.5 1
is "the program does not notice the window" 0 $?
from=$(sed -nE 's/.*<clock .* ticks="([0-9]+)".*/\1/p' window.er/log.xml)
hz=$(sed -nE 's/.* hz="([0-9]+)".*/\1/p' window.er/log.xml)
for event in resume:0.4:0.7 pause:0.9:1.2; do
	IFS=: read -r kind low high <<<"$event"
	at=$(sed -nE "s/.*kind=\"$kind\" time=\"([0-9]+)\".*/\1/p" window.er/log.xml | tail -1)
	within "events $kind in time" "$low" "$high" "$(awk -v a="$from" -v b="${at:-0}" -v hz="$hz" 'BEGIN { print (b - a) / hz }')"
done
report window -metrics i.totalcpu:name -functions
within "only the window's time is recorded" 0.02 0.62 "$(value window '<Total>' 1)"
