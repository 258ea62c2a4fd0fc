# Data files lose pages while they are written: the program goes on as without a recorder, and the loss is reported.
. "$(dirname "$0")/lib.sh"
trap "" PIPE # when it writes to a program that has ended

everything=(-p hi -H on -s all -i on -w on --functrace --hooks=on --component=ring:021:mode=circular:size=1 -S 0.05 -A off)

# interrupt NAME ACTION PROGRAM...: record PROGRAM, do ACTION when it has printed a line, and then let it go on. Leaves its output
# in NAME.out, its messages in NAME.err, its status in NAME.status, ACTION's output in NAME.act.
interrupt()
{
	local name=$1 action=$2 line
	shift 2
	rm -f in out
	mkfifo in out
	{ timeout -k 5 $((100 * patience)) "$xcollect" -o "${directory:-.}/$name.er" "${options[@]}" "$@" <in >out 2>"$name.err"; echo $? >"$name.status"; } 2>/dev/null &
	exec 3>in 4<out
	read -r line <&4
	(cd "${directory:-.}/$name.er" && $action) >"$name.act" 2>&1
	echo >&3
	{ echo "$line"; cat; } <&4 >"$name.out"
	exec 3>&- 4<&-
	wait
}

# cut FILE [SIZE]: truncate the data file, which must be there
cut()
{
	if [ -s "$1" ]; then truncate -s "${2:-0}" "$1"; else echo "there is no $1"; fi
}

cut_all()
{
	for file in frameinfo overview profile heaptrace synctrace iotrace functrace functable usertrace usertrace1; do cut $file; done
}

# survives NAME FILE: the program ended as without a recorder, and the experiment can be read and reports the loss. If a thread
# needs a new extent before any thread writes to a lost page, the file grows again: then there is no fault, but a file without a
# beginning.
noticed=0
survives()
{
	is "$1: it was done" "" "$(cat "$1.act")"
	is "$1: the exit status" "$bare_status" "$(cat "$1.status")"
	is "$1: the output" "$bare" "$(cat "$1.out")"
	limited 100 "$xer_print" -header all -functions "${directory:-.}/$1.er" >"$1.txt" 2>"$1.txt.err"
	is "$1: xer_print ends, and may say that there is damage" "ends said" "$([ $? -le 1 ] && echo ends) $(said_in "$1.txt")"
	contains "$1: the loss is reported" "data lost in $2: |^  damaged: " "$1.txt"
	! grep -q "data lost in $2: pages of the file cannot be had" "$1.txt" || ((noticed++))
}

echo | "$programs/ft_cut" 2 >bare.out
bare_status=$?
bare=$(cat bare.out)
is "the program itself" "3 round 0: 14850 round 1: 29700" "$bare_status $(echo $bare)"

options=("${everything[@]}")
for file in frameinfo overview profile heaptrace synctrace iotrace functrace functable usertrace usertrace1; do
	interrupt "$file" "cut $file" "$programs/ft_cut" 2
	survives "$file" "$file"
done
within "losses are noticed when they happen" 1 10 $noticed
interrupt part "cut heaptrace 4096" "$programs/ft_cut" 2
is "part: the exit status" "$bare_status" "$(cat part.status)"
is "part: the output" "$bare" "$(cat part.out)"
report part -functions
contains "what was there before the cut is still there" 'first_round$' part.txt
interrupt all cut_all "$programs/ft_cut" 2
for file in frameinfo overview; do survives all $file; done
interrupt own cut_all "$programs/ft_cut" 2 own
survives own frameinfo
options=("${everything[@]}" --functrace=depth=50,min=1ns)
interrupt limits "cut functrace" "$programs/ft_cut" 2
survives limits functrace

# A page that was given up can be used again once there is room for it.
options=("${everything[@]}")
full()
{
	fallocate --punch-hole --offset 0 --length 1M heaptrace
	dd if=/dev/zero of=../fill bs=64k 2>/dev/null
	true
}
if [ "$(id -u)" = 0 ] && have fallocate && mkdir full && mount -t tmpfs -o size=16m tmpfs full 2>/dev/null; then
	trap 'umount full' EXIT
	directory=full
	interrupt full full "$programs/ft_cut" 2
	rm full/fill
	survives full heaptrace
	directory=
else
	skip "a full disk" "mounting a tmpfs needs root"
fi

# OpenMP.
cat >regions.c <<'END'
#include <stdio.h>
int main(void)
{
	static int sum;
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 100; i++) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
			sum++;
		}
		printf("round %d: %d\n", round, sum);
		fflush(stdout);
		if (round == 0)
			getchar();
	}
	return 3;
}
END
if gcc -O1 -g -fopenmp -o regions regions.c 2>build.err; then
	options=(-p hi --omp=on -A off)
	echo | ./regions >bare.out
	bare=$(cat bare.out)
	interrupt omptrace "cut omptrace" ./regions
	survives omptrace omptrace
else
	skip "OpenMP" "gcc -fopenmp does not work"
fi
