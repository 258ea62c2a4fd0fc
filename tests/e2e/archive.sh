# An archived experiment, moved elsewhere with the program deleted, resolves as before.
. "$(dirname "$0")/lib.sh"

# moved CLAIM NAME: NAME.er reads the same after the program is gone and the directory has moved
moved()
{
	report "$2" -functions -lines
	cp "$2.txt" "$2.before"
	rm -f program
	mkdir -p "elsewhere"
	mv "$2.er" elsewhere/
	mv elsewhere "elsewhere.$2"
	timeout 60 "$xer_print" -functions -lines "elsewhere.$2/$2.er" >"$2.after" 2>"$2.after.err"
	is "$1: exit status" 0 $?
	diff "$2.before" "$2.after" >"$2.diff"
	is "$1: reads as before" "" "$(head -5 "$2.diff")"
	contains "$1: functions have names" 'leak_malloc' "$2.after"
}

cp "$programs/heap_known" program
record auto -H on -- ./program
contains "the object is in archives" '^program_' <(ls auto.er/archives)
moved "archived at the end" auto

cp "$programs/heap_known" program
record byhand -A off -H on -- ./program
is "-A off archives nothing" "" "$(ls byhand.er/archives)"
succeeds "xer_archive by hand" "$xer_archive" byhand.er
listing=$(ls -i byhand.er/archives)
succeeds "xer_archive again" "$xer_archive" byhand.er
is "it keeps what is there" "$listing" "$(ls -i byhand.er/archives)"
moved "archived by hand" byhand

cp "$programs/crash" program
record died -H on -- ./program 100 1
report died -functions
contains "a died experiment is archived by xer_print" '^program_' <(ls died.er/archives)

cp "$programs/heap_known" program
record source -A src -H on -- ./program
if [ -d source.er/archives/src ]; then
	contains "sources come along" 'heap_known\.c' <(find source.er/archives/src -type f)
else
	not_ok "sources come along: no archives/src"
fi
"$xer_archive" nowhere.er >/dev/null 2>archive.err
is "a missing experiment is 1" 1 $?
is "in one line" 1 "$(wc -l <archive.err)"
"$xer_archive" -Z source.er >/dev/null 2>&1
is "a usage error is 2" 2 $?
