# Golden experiments: kept recordings must give the same text as ever. tests/golden/make records them and lists what is in them;
# with UPDATE=DIRECTORY the output is written there instead of compared (make's `expect`).
# See doc/decisions/62-golden-experiments.md.
golden=$(realpath "$(dirname "$0")/../golden")
. "$(dirname "$0")/lib.sh"
. "$golden/vdso.sh"
# No debuginfod server is asked for what an archive lacks.
unset "${!DEBUGINFOD_@}"

# said EXPECTATION CLAIM EXPERIMENT... -- PROGRAM ARGUMENT...: compare what the program prints for fresh copies of the
# experiments, its errors and its exit status with the expected text
said()
{
	local expectation=$1 claim=$2 names=() name
	shift 2
	while [ "$1" != -- ]; do
		names+=("$1")
		shift
	done
	shift
	told "${names[@]}" -- "$@" >"$expectation"
	# Who asks only whether anything fails (tests/mutate/run) need not know what a text hangs on.
	if [ -z "${E2E_FAIL_FAST:-}" ]; then
		told --foreign "${names[@]}" -- "$@" >foreign.txt
		for name in "${names[@]}"; do sed -i -f "foreign/$name.sed" foreign.txt; done
		cmp -s "$expectation" foreign.txt || hanging+=("$expectation")
	fi
	foreign=$((foreign + 1))
	if [ -n "${UPDATE:-}" ]; then
		cp "$expectation" "$UPDATE/"
	elif diff -u "$golden/expected/$expectation" "$expectation" >difference.txt; then
		ok "golden $claim"
	else
		not_ok "golden $claim"
		head -40 difference.txt | sed 's/^/    /'
	fi
}

# told [--foreign] EXPERIMENT... -- PROGRAM ARGUMENT...: print that output; --foreign: as if the recordings came from another
# kernel
told()
{
	local is_foreign='' status
	[ "$1" != --foreign ] || { is_foreign=yes; shift; }
	while [ "$1" != -- ]; do
		# A fresh copy, as xer_print may archive what a killed process could not.
		rm -rf "$1.er"
		if [ -z "$is_foreign" ]; then
			cp -r "$golden/$1.er" .
		else
			[ -e "foreign/$1.er" ] || { cp -r "$golden/$1.er" foreign && vdso_foreign "foreign/$1.er" >"foreign/$1.sed"; }
			cp -r "foreign/$1.er" .
		fi
		shift
	done
	shift
	limited 20 "$@" 2>stderr.txt >stdout.txt
	status=$?
	# The version of Xer that an export names is not compared.
	sed "s/$version/xer_print/" stdout.txt
	echo "exit status $status"
	cat stderr.txt
}
# How many of the texts were compared with those of a foreign experiment, and which of them differed
foreign=0
hanging=()
unread=0
mkdir foreign
version=$("$xer_print" --version)

# all_of TABLE: the commands of a table such as tests/golden/reports, one claim each
all_of()
{
	while read -r expectation names arguments; do
		[ "$expectation" != "#" ] || continue
		read -ra experiments <<<"${names//,/ }"
		mapfile -t words < <(xargs -n1 printf '%s\n' <<<"$arguments")
		said "$expectation" "$names: $arguments" "${experiments[@]}" -- "$xer_print" "${words[@]}" "${experiments[@]/%/.er}"
	done <"$1"
}
all_of "$golden/reports"

# Files of experiments, read alone.
said calls.account "calls: account of its file" calls -- "$xer_print" -account calls.er/functrace
said calls.graph "calls: graph of its file" calls -- "$xer_print" -graph calls.er/functrace
said sampler.samples "sampler: records of its samples" sampler -- "$xer_print" -fxt_dump sampler.er/sampler/cpu1.fxt
said sampler.map "sampler: records of its map" sampler -- "$xer_print" -fxt_dump sampler.er/sampler/map.fxt

# The text of instructions depends on the version of a library.
if grep -q 'libcapstone\.so\.4' "$xer_print"; then
	all_of "$golden/disassembly"
else
	unread=$(grep -vc '^#' "$golden/disassembly")
	skip "golden disassembly" "xer_print does not use version 4 of capstone"
fi

# Two experiments with functions of the same name.
said choices "functions of one name are told apart" package link -- "$xer_print" -fsingle make package.er link.er

# User events: the commands of the table tests/golden/trcrpt.
templates=$(realpath "$golden/../programs/user_work.trc")
while read -r expectation name options; do
	[ "$expectation" != "#" ] || continue
	# shellcheck disable=SC2086
	said "$expectation" "$expectation" "$name" -- "$readers/xer_trcrpt" -h -t "$templates" $options "$name.er"
done <"$golden/trcrpt"

# If a text depends on the vDSO of the running kernel, it depends on the machine: the names must be in the experiment.
is "no text hangs on the kernel that the reader runs on" "" "${hanging[*]}"
is "each was read as another kernel's" "$(find "$golden/expected" -type f | wc -l)" $((foreign + unread))
[ -z "${UPDATE:-}" ] || exit $((${#hanging[@]} != 0))

# The same experiment under a name of odd bytes, read only.
odd=$'o\xff\x01 \\x41 <&.er'
cp -r "$golden/heap.er" "$odd" && chmod -R a-w "$odd"
"$xer_print" -leaks "$odd" >odd.txt 2>odd.err
is "an experiment of odd name is read" 0 $?
{ cat odd.txt && echo "exit status 0"; } | cmp -s - "$golden/expected/heap.leaks"
is "and gives the same text" 0 $?
chmod -R u+w "$odd"
