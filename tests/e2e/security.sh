# Traps set for the recorder and the readers do no harm: privileged programs, file permissions, planted links, experiments and
# archives of other users.
. "$(dirname "$0")/lib.sh"

# ---- privileged programs are not recorded, and get no library
if [ "$(id -u)" = 0 ] && have setpriv; then
	for_everyone
	cp "$(command -v env)" "$everyones/suid" && chown 1:1 "$everyones/suid" && chmod 4755 "$everyones/suid"
	cp "$(command -v env)" "$everyones/sgid" && chown 0:1 "$everyones/sgid" && chmod 2755 "$everyones/sgid"
	as_other() { (cd "$everyones" && exec setpriv --reuid 2 --regid 2 --clear-groups env -i PATH="$PATH" "$@"); }
	for kind in suid sgid; do
		as_other sh -c "./$kind; true" >plain.out 2>&1
		as_other bin/xcollect -p off -A off -o "$kind.er" sh -c "./$kind; true" >recorded.out 2>recorded.err
		is "a set-$kind program's environment is as without us" "$(cat plain.out)" "$(cat recorded.out)"
		as_other bin/xcollect -p off -A off -o "direct-$kind.er" "./$kind" >direct.out 2>direct.err
		is "xcollect refuses a set-$kind program itself" 126 $?
	done
	is "no code of the recorder ran with other privileges" "" "$(find "$everyones"/*.er -uid 1 -o -path "$everyones/*.er/*" -gid 1)"
else
	skip "privileged programs" "only root can make one for another user"
fi

# ---- an experiment is private, whatever the umask
for mask in 000 022 077; do
	(umask $mask && record "rights$mask" -g "rights$mask.erg" -p hi -H on -s all -i on -A on -- sh -c 'true; true')
	wrong=$(find "rights$mask.er" -type d ! -perm 700 -o -type f ! -perm 600)
	is "with a umask of $mask, only its owner can read an experiment" "" "$wrong"
	is "and its group" 600 "$(stat -c %a "rights$mask.erg")"
done
(umask 000 && record rightssampler --sampler=1m -A on -- sh -c 'for i in 1 2 3; do :; done') >sampler.out 2>&1
if [ -d rightssampler.er/sampler ]; then
	is "so it is if the kernel takes the samples" "" "$(find rightssampler.er -type d ! -perm 700 -o -type f ! -perm 600)"
else
	skip "so it is if the kernel takes the samples" "the kernel takes none here"
fi
chmod -R g+rX rights077.er && rm rights077.er/archives/*
limited 60 "$xer_archive" rights077.er >shared.out 2>&1
is "what is archived later can be read by those who may read the experiment" "" "$(find rights077.er/archives -type f ! -perm 640)"

# ---- planted links
mkdir victim && echo mine >victim/file
before=$(cd victim && find . -exec stat -c '%n %i %s %Y %a' {} + | sort)
untouched() { is "$1" "$before" "$(cd victim && find . -exec stat -c '%n %i %s %Y %a' {} + | sort)"; }
ln -s victim link.er
record link -p off -- true
is "a link in the experiment's place is refused" 125 $?
untouched "and what it leads to is as it was"
ln -s victim/new dangling.er
record dangling -p off -- true
is "a link to nothing is refused" 125 $?
untouched "and nothing is made where it leads"
{ limited 20 "$xcollect" -O link.er -p off true >over.out 2>over.err; } 2>/dev/null
untouched "-O deletes nothing behind a link"
ln -s victim/file test.1.er
limited 20 "$xcollect" -p off true >default.out 2>default.err
untouched "the default name is not taken through a link"
mkdir full.er && ln -s ../victim/file full.er/log.xml && ln -s ../victim/file full.er/map.xml
{ limited 20 "$xcollect" -O full.er -p off true >full.out 2>full.err; } 2>/dev/null
untouched "files of an old experiment that are links are not written through"

# ---- another user's experiment cannot have the reader's files copied into it
record foreign -p hi -A off -- sh -c 'kill -9 $$'
sed -i 's/boot_id="[^"]*"/boot_id="00000000-0000-0000-0000-000000000000"/; s/name="archive" value="off"/name="archive" value="on"/' foreign.er/log.xml
cp -r foreign.er native.er
sed -i "s/boot_id=\"[^\"]*\"/boot_id=\"$(cat /proc/sys/kernel/random/boot_id)\"/" native.er/log.xml
report native -header all
is "what died here is archived by xer_print" yes "$([ -n "$(ls native.er/archives)" ] && echo yes)"
report foreign -header all
is "what died elsewhere is not" "" "$(ls foreign.er/archives)"
contains "which is said" 'not archived: it was recorded on another machine' foreign.txt.err
succeeds "xer_archive does it" timeout 60 "$xer_archive" -a on foreign.er
is "and then it is" yes "$([ -n "$(ls foreign.er/archives)" ] && echo yes)"

# ---- archives
record archived -p hi -A on -- sh -c 'for i in 1 2 3; do :; done'
first=$(find archived.er/archives -type f | head -1)
if [ -n "$first" ]; then
	echo changed >"$first"
	limited 60 "$xer_archive" archived.er >archive.out 2>&1
	is "xer_archive does not overwrite what is archived" changed "$(cat "$first")"
	rm "$first" && ln -s ../../victim/file "$first"
	limited 60 "$xer_archive" archived.er >archive.out 2>&1
	untouched "nor writes through a link in its place"
	rm -rf archived.er/archives && ln -s ../victim archived.er/archives
	limited 60 "$xer_archive" archived.er >archive.out 2>&1
	untouched "nor into a directory that is a link"
else
	not_ok "there is an archive"
fi

# ---- an archived copy is readable by no more users than its original
if have gcc; then
	printf 'int main(void) { for (volatile int i = 0; i < 100000000; i++); return 0; }\n' >private.c
	gcc -g -O1 -o private private.c && cp private public && chmod 700 private && chmod 755 public && chmod 600 private.c
	for name in private public; do (umask 022 && record "$name" -p hi -A src -- "./$name"); done
	is "a private program is private in the archive" "0" "$(find private.er/archives -name 'private*' -type f -perm /077 | wc -l)"
	is "and is there, with its source" "2" "$(find private.er/archives -name 'private*' -type f | wc -l)"
	rm -r private.er/archives public.er/archives && chmod 755 private.er public.er
	for name in private public; do (umask 022 && limited 60 "$xer_archive" "$name.er" >"$name.out" 2>&1); done
	is "nor if the experiment was opened to everybody" "600" "$(stat -c %a private.er/archives/private_*)"
	is "a public program is public then" "644" "$(stat -c %a public.er/archives/public_*)"
else
	skip "a private program is private in the archive" "no gcc"
fi

# ---- another user's experiment cannot lead the reader to other files
record stranger -p off -A off -- sh -c 'sh -c "exit 0"; true'
record mine -p off -A off -- sh -c 'exit 0'
child=$(basename "$(find stranger.er -name '_*.er' | head -1)")
rm -rf "stranger.er/$child" && ln -s ../mine.er "stranger.er/$child"
before_mine=$(find mine.er | sort)
limited 60 "$xer_archive" stranger.er >archive.out 2>&1
is "xer_archive says that a descendant is a link" 1 "$(grep -c "$child: a link, which is not followed" archive.out)"
is "and puts nothing where it leads" "$before_mine" "$(find mine.er | sort)"
limited 60 "$xer_print" -header all stranger.er >linked.out 2>&1
is "xer_print does not follow it" 1 "$(grep -c "$child: a link, which is not followed" linked.out)"
mv stranger.er/log.xml stranger.er/log && ln -s log stranger.er/log.xml
limited 60 "$xer_print" -header all stranger.er >linked.out 2>&1
is "nor a log that is a link" "1 1" "$? $(grep -c . linked.out)"

# ---- groups
ln -s victim/group group.erg
limited 60 "$xcollect" -o member.er -g group.erg -p off -A off true >group.out 2>&1
is "a group that is a link is refused" 125 $?
untouched "and nothing is made where it leads"
[ ! -e member.er ] && ok "nor is an experiment" || not_ok "nor is an experiment"

# ---- what other users can do in a world-writable directory,
if [ "$(id -u)" = 0 ] && have setpriv; then
	mkdir "$everyones/taken.er" && chown 1:1 "$everyones/taken.er" && chmod 777 "$everyones/taken.er"
	as_other bin/xcollect -O taken.er -p off -A off true >taken.out 2>&1
	is "-O does not take over a stranger's directory" "125 0" "$? $(find "$everyones/taken.er" -mindepth 1 | wc -l)"
	mkfifo "$everyones/fifo.er" && chown 1:1 "$everyones/fifo.er"
	as_other timeout 20 bin/xcollect -o fifo.er -p off -A off true >fifo.out 2>&1
	is "nor does it wait at a FIFO" 125 $?
	# Root reads another user's experiment: reports show it, and no file of root's is created, changed or shown.
	as_other bin/xcollect -o theirs.er -p hi -A copy sh -c 'for i in 1 2 3; do :; done' >theirs.out 2>&1
	state() { (cd "$everyones" && find theirs.er -exec stat -c '%n %i %s %Y %u %a' {} + | sort); }
	theirs=$(state)
	limited 60 "$xer_print" -header all -functions -source main -disasm main "$everyones/theirs.er" >/dev/null 2>theirs.err
	is "root's xer_print changes nothing in another user's experiment" "$theirs" "$(state)"
	cp -r foreign.er "$everyones/died.er" && rm -rf "$everyones/died.er/archives"/*
	sed -i "s/boot_id=\"[^\"]*\"/boot_id=\"$(cat /proc/sys/kernel/random/boot_id)\"/" "$everyones/died.er/log.xml"
	chown -R 2:2 "$everyones/died.er"
	limited 60 "$xer_print" -header all "$everyones/died.er" >/dev/null 2>died.err
	is "what died is not archived by the xer_print of another user" "" "$(ls "$everyones/died.er/archives")"
	contains "which is said, too" 'not archived: it belongs to another user' died.err
	limited 60 "$xer_archive" -a on "$everyones/died.er" >died.out 2>&1
	is "what root archives belongs to the owner" "" "$(find "$everyones/died.er" ! -user 2)"
	# The experiment claims that a private file of root's is the program that ran.
	shell=$(readlink -f "$(command -v sh)")
	(umask 077 && cp "$shell" "$everyones/secret")
	sed -i "s|path=\"$shell\"|path=\"$everyones/secret\"|" "$everyones/theirs.er/map.xml"
	rm -rf "$everyones/theirs.er/archives"
	limited 60 "$xer_archive" -a on "$everyones/theirs.er" >theirs.out 2>&1
	is "nothing that is private to root is archived for them to read" "600 0" "$(find "$everyones/theirs.er" -name 'secret*' -exec stat -c '%a %u' {} +)"
else
	skip "what strangers can do" "only root can be several users"
fi

# ---- an experiment is only data: nothing in it is executed, and no settings are read from it
record data -p hi -H on -A copy -- sh -c 'for i in 1 2 3; do :; done'
printf '#!/bin/sh\ntouch executed\n' >data.er/run && chmod +x data.er/run
for name in .xer_print.rc .xerrc .gdbinit .gprofng.rc er_print.rc; do printf 'limit 1\nsystem touch executed\n!touch executed\n' >"data.er/$name"; done
if have strace && traces; then
	limited 60 strace -f -qq -e trace=execve,execveat -o executions "$xer_print" -header all -functions -calltree -source main -disasm main -exp_list data.er >strace.out 2>&1
	is "xer_print executes nothing" 1 "$(grep -c 'execve' executions)"
	limited 60 strace -f -qq -e trace=open,openat,creat,unlink,unlinkat,rename,renameat,mkdir -o files "$xer_print" -functions -header all data.er >strace.out 2>&1
	is "xer_print writes no file for a report" "" "$(grep -E 'O_(WRONLY|RDWR|CREAT)|unlink|rename|mkdir' files | grep -v '/dev/\(null\|tty\)')"
	absent "settings in an experiment are not read" -E 'data.er/.*(rc|gdbinit)"' files
else
	skip "xer_print executes nothing (3 claims)" "no strace, or no tracing here"
fi
[ ! -e executed ] && ok "nothing of an experiment was executed" || not_ok "nothing of an experiment was executed"
