# The short ones of tests/run-real: programs that create processes and threads of all kinds, and debuggers as targets.
real=$(realpath "$(dirname "$0")/../run-real")
. "$(dirname "$0")/lib.sh"

limited 200 "$real" "$BUILD" python-subprocess python-threads bash perl git gcc make strace gdb
