# The sampler: libxer_sampler as its users get it, and how many samples each thread has.
house=$(realpath "$(dirname "$0")/../..")
. "$(dirname "$0")/lib.sh"

sampler=$BUILD/tests/programs/self_sampler
# value NAME FILE: the number after a name; the sum if there are several
value() { awk -v name="$1" '$1 == name { sum += $2 } END { print sum + 0 }' "$2"; }
# between CLAIM VALUE LOW HIGH
between() { [ "$2" -ge "$3" ] && [ "$2" -le "$4" ] && ok "$1" || not_ok "$1: $2 is not in $3..$4"; }

"$sampler" 1000 20 >try.txt 2>&1
if grep -qE '^failed create -(30|2)$' try.txt; then
	skip "sampling" "this system lets nobody sample threads (perf_event_open)"
	exit 0
fi

# 4 threads of 300 ms each, at 1 ms and 100 us: each one gets its samples, and no other thread does
for period in 1000 100; do
	expected=$((4 * 300000 / period))
	"$sampler" $period 300 >self.$period.txt
	is "$period us: it ends well" 0 $?
	between "$period us: delivered samples" "$(value samples self.$period.txt)" $((expected * 92 / 100)) $((expected * 108 / 100))
	for got in $(awk '$1 == "worker" { print $2 }' self.$period.txt); do
		between "$period us: of a thread" "$got" $((expected * 22 / 100)) $((expected * 28 / 100))
	done
	is "$period us: other threads, malformed records, disorder" "0 0 0" \
		"$(value strangers self.$period.txt) $(value malformed self.$period.txt) $(value disorder self.$period.txt)"
	between "$period us: a thread that sleeps" "$(value sleeper self.$period.txt)" 0 $((expected / 100))
	between "$period us: half is in hot_a" "$(value hot_a self.$period.txt)" $((expected * 44 / 100)) $((expected * 56 / 100))
	between "$period us: half is in hot_b" "$(value hot_b self.$period.txt)" $((expected * 44 / 100)) $((expected * 56 / 100))
done

# 10 us: the machine may be too slow for it, but the program ends
limited 60 "$sampler" 10 20 >self.10.txt
is "10 us: no livelock" 0 $?

# a process that does not use the library
sh -c 'while :; do :; done' &
foreign=$!
"$sampler" 1000 300 foreign $foreign >foreign.txt
status=$?
kill $foreign
wait $foreign 2>/dev/null
is "a thread of another process" 0 $status
[ "$(value strangers foreign.txt)" -gt 20 ] && ok "it is sampled" || not_ok "it is sampled: $(cat foreign.txt)"

# installed, found by pkg-config, shared and static
have pkg-config || { skip "installed library" "pkg-config is not installed"; exit 0; }
make -s -C "$house" BUILD="$BUILD" PREFIX="$PWD/installed" CC="${CC:-gcc}" install >install.txt 2>&1
is "make install" 0 $?
export PKG_CONFIG_PATH=$PWD/installed/lib/pkgconfig
cat >client.c <<'C'
#include <xer/sampler.h>
int main(void)
{
	zx_sampler_config_t config = {1000000, 4096, ZX_IOB_DISCIPLINE_NONE};
	zx_handle_t iob;

	return zx_sampler_create(xer_debug_resource(), 0, &config, sizeof(config), &iob) || zx_sampler_start(iob) || zx_sampler_stop(iob) ||
	       zx_handle_close(iob);
}
C
# shellcheck disable=SC2046
${CC:-gcc} -Wall -Wextra -Werror -o client client.c $(pkg-config --cflags --libs xer-sampler) -Wl,-rpath,"$PWD/installed/lib" && ./client
is "a client of the shared library" 0 $?
# shellcheck disable=SC2046
${CC:-gcc} -o client.static client.c $(pkg-config --cflags xer-sampler) installed/lib/libxer_sampler.a -lpthread && ./client.static
is "a client of the static library" 0 $?
if needs "the header in C++" 1 g++; then
	cp client.c client.cc
	# shellcheck disable=SC2046
	g++ -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags xer-sampler) client.cc
	is "the header in C++" 0 $?
fi
