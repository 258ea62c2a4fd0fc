# The programs of tests/cases/cases.def: each has the same status, output and files without a recorder and with everything on, and
# the experiment has what the program did. `ONLY="ID ..."` runs some of them.
# See doc/decisions/61-test-cases.md.
. "$(dirname "$0")/lib.sh"

cases=$BUILD/tests/cases/cases
everything=(-p hi -H on -s all -i on -w on --functrace -S 0.05 -A off)
MARK_BLOCKS=10

# left: the content of a directory: types, permissions, sizes, names, checksums
left()
{
	find . ! -name . -printf '%y %m %n %l %P\n' | sort
	find . -type f -size -1M -exec cksum {} + | sort
}

# run WAY PREFIX... : run a case in the directory WAY; writes WAY.status, .out, .err, .left
run()
{
	local way=$1
	shift
	mkdir "$way"
	(cd "$way" && { timeout -k 2 $((${CASE_TIMEOUT:-20} * patience)) "$@" </dev/null >"../$way.out" 2>"../$way.err"; } 2>/dev/null)
	echo $? >"$way.status"
	(cd "$way" && left) >"$way.left" 2>&1
}

# differences: how the recorded run differs from the bare one
differences()
{
	sed -i '/^Creating experiment\|^xcollect: clock samples come at/d' recorded.err
	for what in status out err left; do
		cmp -s "bare.$what" "recorded.$what" || printf '%s is other than bare (%s); ' "$what" "$(diff "bare.$what" "recorded.$what" | grep '^[<>]' | head -4 | tr '\n' ' ')"
	done
}

# untrue MARKS END: how the experiment differs from what the case did
untrue()
{
	local marks=$1 end=$2 status wanted got
	[ "$end" != GONE ] || return
	limited 20 "$xer_print" -header all -metrics i.heapalloccnt:i.fcalls:name -functions recorded.er >report.txt 2>report.err ||
		printf 'xer_print ends with %s (%s); ' $? "$(head -2 report.err | tr '\n' ' ')"
	status=$(sed -n 's/^Status  *//p' report.txt)
	case $end in
	EXITS) wanted="ended, exit code $(<bare.status)*" ;;
	DIES) wanted="died: *" ;;
	BECOMES) wanted="executed another program*" ;;
	*) wanted="*" ;;
	esac
	# shellcheck disable=SC2254
	case $status in $wanted) ;; *) printf "the header says '%s', not '%s'; " "$status" "$wanted" ;; esac
	got=$(awk 'BEGIN { row = "0 0" } $NF == "mark" && NF == 3 { row = $1 " " $2; exit } END { print row }' report.txt)
	[ "$end" = LOST ] || [ "$got" = "$((marks * MARK_BLOCKS)) $marks" ] || printf "blocks and calls of mark are '%s', not '%s'; " "$got" "$((marks * MARK_BLOCKS)) $marks"
	! grep -q . report.err || printf 'xer_print warns: %s; ' "$(head -2 report.err | tr '\n' ' ')"
}

# one ID GUARANTEE MARKS END TEXT: the verdict of a case
one()
{
	local id=$1 wrong=
	mkdir "$id" && cd "$id" || return
	run bare "$cases" "$id"
	if [ "$(<bare.status)" = 77 ]; then
		skip "$id: $5" "it cannot be made here: $(head -1 bare.out)"
	else
		run recorded "$xcollect" "${everything[@]}" -o ../recorded.er "$cases" "$id"
		wrong=$(differences; untrue "$3" "$4")
		if [ -z "$wrong" ]; then ok "$id: $5"; else not_ok "$id: $5: $wrong"; fi
	fi
	cd .. && { [ -n "$wrong" ] || rm -rf "$id"; }
}

# every SECOND: every second case, beginning with the first or the second
every()
{
	local number=0
	while IFS=$'\t' read -r id guarantee marks end text; do
		((number++ % 2 == $1)) || continue
		[ -z "${ONLY:-}" ] || [[ " $ONLY " == *" $id "* ]] || continue
		one "$id" "$guarantee" "$marks" "$end" "$text"
	done <list >"verdicts.$1" 2>&1
}

"$cases" -list >list
ulimit -c 0
every 0 &
every 1 &
wait
cat verdicts.0 verdicts.1
is "every case had a verdict" "$(grep -c . <(tr ' ' '\n' <<<"${ONLY:-$(cut -f1 list)}"))" "$(cat verdicts.* | grep -cE '^(ok|not ok|skip) ')"
