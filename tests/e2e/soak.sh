# tests/run-soak for a short time.
soak=$(realpath "$(dirname "$0")/../run-soak")
. "$(dirname "$0")/lib.sh"

mkdir soak
limited 120 "$soak" "$BUILD" 12 "$PWD/soak"
