# vdso.sh: the vDSO of golden experiments; each kernel has another one. Sourced by make and by tests/e2e/golden.sh.

# vdso_files DIRECTORY: the files of the experiment and its descendants that name the vDSO, or are a copy of it
vdso_files() { find "$1" -name map.xml -o -name map.fxt -o -path '*/archives/\[vdso\]_*'; }

# vdso_ids DIRECTORY: the build-ids of the vDSO, each once
vdso_ids()
{
	local file
	vdso_files "$1" | while IFS= read -r file; do
		case $file in
		*.xml) sed -n 's/.*path="\[vdso\]" build_id="\([0-9a-f]*\)".*/\1/p' "$file" ;;
		*.fxt) "$xer_print" -fxt_dump "$file" | sed -n 's/.* name "\[vdso\]" build_id \([0-9a-f]*\)$/\1/p' ;;
		esac
	done | sort -u
}

# vdso_rename DIRECTORY OLD NEW: change the vDSO's build-id everywhere, as text and as bytes
vdso_rename()
{
	local file
	vdso_files "$1" | while IFS= read -r file; do
		OLD=$2 NEW=$3 perl -0777 -pi -e '
			BEGIN { ($old, $new) = @ENV{qw(OLD NEW)}; ($bytes, $others) = map { pack("H*", $_) } $old, $new }
			s/\Q$old\E/$new/g; s/\Q$bytes\E/$others/g' "$file"
		case $file in
		*"/[vdso]_${2:0:16}") mv "$file" "${file%_*}_${3:0:16}" ;;
		esac
	done
}

# vdso_other ID: a build-id that no kernel has
vdso_other() { echo "$1" | tr 0123456789abcdef fedcba9876543210; }

# vdso_foreign DIRECTORY: make the experiment look as if another kernel had recorded it. Prints a sed script that puts the real
# ids back into a text made from it.
vdso_foreign()
{
	local id other
	for id in $(vdso_ids "$1"); do
		other=$(vdso_other "$id")
		vdso_rename "$1" "$id" "$other"
		echo "s/$other/$id/g;s/${other:0:16}/${id:0:16}/g"
	done
}
