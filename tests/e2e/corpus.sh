# The inputs that fuzzing found interesting (tests/fuzz/corpus), replayed without a fuzzing engine but with sanitizers. Also
# golden experiments that are cut short, have flipped bits, or have other things in place of their files. `make replay` builds
# what this needs.
corpus=$(realpath "$(dirname "$0")/../fuzz/corpus")
top=$(realpath "$(dirname "$0")/../..")
. "$(dirname "$0")/lib.sh"
tools=$BUILD/asan/tests/fuzz
if [ ! -x "$tools/replay" ]; then skip "kept inputs of fuzzing" "make replay has not built $tools/replay"; exit 0; fi
export ASAN_OPTIONS=detect_leaks=${E2E_LEAKS:-1}:hard_rss_limit_mb=1500

# told FILE: its last line, which says what was done; nothing is there if it did not come to an end
told() { if [ -s "$1" ]; then tail -1 "$1"; else echo "${1##*/} was left unfinished"; fi; }

cd "$top" || exit 1
limited 100 "$tools/replay" "$corpus" >"$1/replay.txt" 2>"$1/replay.err"
status=$?
[ $status = 0 ] || { tail -3 "$1/replay.txt"; { grep -a -A30 "Sanitizer" "$1/replay.err" || tail "$1/replay.err"; } | head -60; }
is "$(told "$1/replay.txt")" 0 $status

seed=${FUZZ_SEED:-$(date +%s)}
limited 150 "$tools/hostile" "${HOSTILE_FLIPS:-50}" "$seed" "$corpus" >"$1/hostile.txt" 2>"$1/hostile.err"
status=$?
[ $status = 0 ] || { tail "$1/hostile.txt"; { grep -a -A30 "Sanitizer" "$1/hostile.err" || tail "$1/hostile.err"; } | head -60; }
is "$(told "$1/hostile.txt")" 0 $status
