# Reading takes time and memory in proportion to what there is. Of each kind there are two sizes, made out of a recording; the
# larger one is four times the smaller one, so what is quadratic takes sixteen times as long. CPU time is compared, and memory
# is bounded for the larger one.
. "${0%/*}/lib.sh"
grow=$BUILD/tests/bench/grow

# spent NAME COMMAND...: as report; $cpu_ms is the CPU time that it took
spent()
{
	local TIMEFORMAT='%U %S'
	{ time report "$@"; } 2>spent
	status=$?
	cpu_ms=$(awk '{ printf "%d", 1000 * ($1 + $2) }' spent)
}

# linear CLAIM COMMAND...: CPU time for few.er and many.er
linear()
{
	local few
	spent few "${@:2}"
	few=$cpu_ms
	spent many "${@:2}"
	is "$1: printed" 0 $status
	within "$1: CPU ms for four times as many ($few ms)" 1 $((8 * few + 100)) "$cpu_ms"
}

# makes WHAT COUNT: few.er, and four times as many in many.er
makes()
{
	"$grow" base.er few.er "$1" "$2" && "$grow" base.er many.er "$1" $((4 * $2))
	must "$1 are made" 0 $?
}

record base -p hi -H on -A off -- "$programs/burn50" 0.2

# ---- processes: no descriptor is held for each, and a list of them needs no events
makes children 1000
(
	ulimit -Sn 40 && ulimit -Hn 40
	linear "processes, listed" -exp_list
	is "each process is listed" 4001 "$(grep -c 'ended, exit code 0 ' many.txt)"
	ulimit -v 400000
	linear "processes, their functions" -functions
	linear "processes, by number" -processes
	linear "processes, the header" -header
)
is "nothing is wrong with any" "" "$(cat many.txt.err)"
report many -functions
contains "each has been read" ', 32008 samples, ' many.txt

# ---- threads
makes threads 5000
(
	ulimit -v 400000
	for view in threads thread_list functions timeline syncwaits locks heapstat; do
		linear "threads, $view" -$view
	done
)
report many -threads
is "each thread has its row, with its sample" 20000 "$(grep -cE '^0.000 +.*Process 1, Thread [0-9]+, worker [0-9]+$' many.txt)"

# ---- stacks
makes stacks 100000
(
	ulimit -v 400000
	linear "stacks, functions" -functions
	linear "stacks, leaks" -limit 5 -leaks
	linear "stacks, the tree of calls" -calltree
)
report many -limit 1 -header
contains "each block has its stack" ' 100000 heap events, 0 lost, 0 truncated stacks' many.txt
absent "and each stack is known" 'warning|not have' many.txt
