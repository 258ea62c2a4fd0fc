# rc files: which ones are read, in which order, and what they may contain.
. "$(dirname "$0")/lib.sh"
export HOME=$PWD/home
mkdir home here other
chmod go-w . home here

record burn -p hi -S off -- "$programs/burn50" 0.3 1
cp -r burn.er here/

printf '# settings\ndmetrics i.%%totalcpu\ndsort name\nlimit 4\n' >home/.xer_print.rc
(cd here && "$xer_print" -metrics -functions burn.er >../out.txt 2>../err.txt)
is "an rc file in the home directory: exit status" 0 $?
contains "its metrics" '^Current metrics: i.%totalcpu:name$' out.txt
contains "its order" 'Current Sort Metric: Name' out.txt
is "its limit" 4 "$(sed -n '/<Total>/,/^#/p' out.txt | grep -c '^ *[0-9]')"

echo 'limit 2' >here/.xer_print.rc
(cd here && "$xer_print" -functions burn.er >../out.txt 2>../err.txt)
is "one in the current directory wins" 2 "$(sed -n '/<Total>/,/^#/p' out.txt | grep -c '^ *[0-9]')"
(cd here && "$xer_print" -rc off -metrics burn.er >../out.txt 2>../err.txt)
contains "-rc off reads none" '^Current metrics: e.%totalcpu:i.%totalcpu:name$' out.txt
echo 'dmetrics e.user' >own.rc
(cd here && "$xer_print" -metrics -rc ../own.rc burn.er >../out.txt 2>../err.txt)
contains "-rc FILE reads that one alone" '^Current metrics: e.user:name$' out.txt
printf '%s\n' 'dmetrics e.totalcpu:i.totalcpu:name' 'dsort name' 'tlmode all' 'preload_libdirs /lib' 'tabs functions' >own.rc
(cd here && "$xer_print" -rc ../own.rc -functions burn.er >../out.txt 2>../err.txt)
contains "dsort is the order to begin with" '^Functions sorted by property: Name$' out.txt
is "settings for other tools do nothing, and are no mistake" "" "$(cat err.txt)"

chmod o+w here
(cd here && "$xer_print" -functions burn.er >../out.txt 2>../err.txt)
is "a directory that everybody may write: exit status" 0 $?
is "whose rc file is not read" 4 "$(sed -n '/<Total>/,/^#/p' out.txt | grep -c '^ *[0-9]')"
contains "and that is said" '^xer_print: ./.xer_print.rc: not read: its directory can be written by everybody$' err.txt
chmod o-w here
if [ "$(id -u)" = 0 ]; then
	chown 65534 here
	(cd here && "$xer_print" -functions burn.er >../out.txt 2>../err.txt)
	contains "a directory of someone else" 'not read: its directory belongs to someone else$' err.txt
	chown 0 here && chown 65534 here/.xer_print.rc
	(cd here && "$xer_print" -functions burn.er >../out.txt 2>../err.txt)
	contains "a file of someone else" 'not read: it belongs to someone else$' err.txt
	chown 0 here/.xer_print.rc
else
	skip "files of others" "that needs root"
fi

printf 'limit 3\nlimti 3\nfunctions\n  filters THRID =\nindxobj_define x PIDD\n' >here/.xer_print.rc
(cd here && "$xer_print" -functions burn.er >../out.txt 2>../err.txt)
is "errors in an rc file: exit status" 2 $?
contains "an unknown command" "^xer_print: ./.xer_print.rc:2:1: unknown command 'limti' \\(did you mean 'limit'\\?\\)\$" err.txt
contains "a command that needs an experiment" '^xer_print: ./.xer_print.rc:3:.*an rc file holds settings only$' err.txt
contains "a wrong expression, with its column" '^xer_print: ./.xer_print.rc:4:17: filters: equality is written ==$' err.txt
contains "and another" "^xer_print: ./.xer_print.rc:5:18: indxobj_define: unknown word 'PIDD'" err.txt
contains "the report comes nevertheless" '<Total>' out.txt
rm here/.xer_print.rc
printf 'limit 3\nnosuchcommand 3\n' >here/.er.rc
(cd here && "$xer_print" -limit 1 -functions -script <(echo limit) burn.er >../out.txt 2>../err.txt)
is "where no .xer_print.rc is, Studio's .er.rc is read: what is unknown there is no failure" 0 $?
contains "but said" "^xer_print: ./.er.rc:2:1: unknown command 'nosuchcommand'" err.txt
(cd here && "$xer_print" -functions burn.er >../out.txt 2>../err.txt)
is "its settings count" 3 "$(sed -n '/<Total>/,/^#/p' out.txt | grep -c '^ *[0-9]')"
echo 'limit 2' >here/.xer_print.rc
(cd here && "$xer_print" -functions burn.er >../out.txt 2>../err.txt)
is "not if both are there" 2 "$(sed -n '/<Total>/,/^#/p' out.txt | grep -c '^ *[0-9]')"
rm here/.xer_print.rc here/.er.rc

# Without clock samples: the shell's forked children are experiments of their own if one has a sample before it executes.
record tree -p off -S off -- bash -c "/bin/true; '$programs/burn50' 0.1 1; :"
for case in "on 3" "off 1" "=_f1.* 2" "=burn50|bash 2" "=nothing 1"; do
	echo "en_desc ${case% *}" >own.rc
	is "en_desc ${case% *}" "${case#* }" "$("$xer_print" -rc own.rc -exp_list tree.er 2>err.txt | grep -c '  yes  ')"
done

# Scripts: a settings command without argument shows its value, output goes to the chosen file, errors name their place.
cat >script.txt <<'END'
limit
limit 3
limit
name short:soname
name
viewmode
compare
per
filters THRID == 1
filters
time 0-9
time
sthresh
context
asmsyntax
printmode
printmode json
limit
printmode
END
"$xer_print" -rc off -script script.txt burn.er >out.txt 2>err.txt
is "settings, asked for: exit status" "0 0" "$? $(wc -c <err.txt)"
is "settings, asked for" "limit: 0|limit: 3|name: short:soname|viewmode: user|compare: off|per: off|filters: THRID == 1|time: 0-9|sthresh: 75|context: auto|asmsyntax: att|printmode: text" \
	"$(sed -n 's/^Current //p' out.txt | paste -sd'|')"
"$xer_print" -rc off -limit 2 -outfile -- -functions -outfile - -version burn.er >out.txt 2>err.txt
is "outfile --: exit status, and standard output" "0 1" "$? $(wc -l <out.txt)"
contains "outfile -- is standard error" '<Total>' err.txt
printf 'limit 3\nmetrics e.user:i.usr\nsort -sytem\ndmetrics e.totalpcu\nmetrics bit\n' >script.txt
"$xer_print" -rc off -script script.txt burn.er >out.txt 2>err.txt
is "metrics that are none: exit status" 2 $?
contains "their column in a list, and the nearest" "^xer_print: script.txt:2:16: metrics: 'i.usr' is not a metric \\(did you mean 'i.user'\\?\\)\$" err.txt
contains "to sort by" "^xer_print: script.txt:3:7: sort: 'sytem' is not a metric \\(did you mean 'system'\\?\\)\$" err.txt
contains "to begin with" "^xer_print: script.txt:4:10: dmetrics: 'e.totalpcu' is not a metric \\(did you mean 'e.totalcpu'\\?\\)\$" err.txt
contains "what is not recorded is no slip" "^xer_print: script.txt:5:9: metrics: 'bit': no such data" err.txt

# An experiment's number, or all experiments.
for command in statistics sample_detail overview; do
	"$xer_print" -rc off "-$command" all burn.er tree.er >all.txt 2>err.txt
	is "$command all: exit status" 0 $?
	"$xer_print" -rc off "-$command" burn.er tree.er >out.txt 2>err.txt
	cmp -s all.txt out.txt
	is "$command all is $command" 0 $?
done
is "statistics has the sum of all" "Sum of 4 experiments, and the highest peak:" "$("$xer_print" -rc off -statistics burn.er tree.er | head -1)"
is "and not of one" "Experiment: burn.er" "$("$xer_print" -rc off -statistics 1 burn.er tree.er | head -1)"
is "sample_detail 2" "Experiment: tree.er" "$("$xer_print" -rc off -sample_detail 2 burn.er tree.er | head -1)"
"$xer_print" -rc off -overview 2 burn.er tree.er >out.txt 2>err.txt
is "overview is of all" 2 $?
