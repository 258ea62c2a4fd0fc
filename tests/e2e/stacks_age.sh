# More different stacks than the table of stacks has room for: it begins again, as often as needed, and no stack is lost.
# Where the address space is small, so is the table.
. "${0%/*}/lib.sh"
target=$programs/many_stacks

# recorded_in KB DEPTH THREADS: with an address space of so much
recorded_in()
{
	local threads=$(($3 ? $3 : 1)) status
	rm -rf t.er
	(ulimit -v "$1"; record t -p off -H on -- "$target" "$2" "$3")
	status=$?
	is "depth $2, $3 threads: the program ends as it does" "0 $((2 << $2))" "$status $(cat t.out)"
	report t -functions
	is "depth $2, $3 threads: all of its blocks have their stacks" "$(((2 << $2) * threads))" "$(value t leaf 1)"
	is "depth $2, $3 threads: all callers are named" "" "$(grep -E '<Unknown>|<Truncated>' t.txt)"
	contains "depth $2, $3 threads: nothing is lost" "heap events, 0 lost, 0 truncated" t.txt
}

recorded_in 65536 16 0
# A part has 32,768 nodes; there are 2^18 different ones, which come twice.
within "the table has begun again, and often: bytes of stacks" $((8 << 20)) $((64 << 20)) "$(stat -c %s t.er/frameinfo)"
recorded_in 65536 14 4
is "each bit of the numbers is 1 as often as it is 0" "$(value t left 1)" "$(value t right 1)"
recorded_in unlimited 12 0
within "a table with room for all has each stack once: bytes of stacks" $((128 << 10)) $((512 << 10)) "$(stat -c %s t.er/frameinfo)"
