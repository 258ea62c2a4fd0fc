# The kinds of data that xcollect switches on and off: without its data, a view names the option that records them; with that
# option the view shows events.
source "$(dirname "$0")/lib.sh"

# kind COMMAND EVENTS PROGRAM...: the view, and the name of the events in the quality line
kind()
{
	local command=$1 events=$2 option words
	shift 2
	record "no_$command" -p off --omp=off --hooks=off -- "$@"
	report "no_$command" "-$command"
	is "$command: exit status without data" 1 $?
	option=$(sed -nE 's/.*: no .* data \(record with xcollect ([^,)]*).*/\1/p' "no_$command.txt.err")
	must "$command: an option is named" 1 "$(grep -c . <<<"$option")"
	read -ra words <<<"$option"
	record "$command" -p off --omp=off --hooks=off "${words[@]}" -- "$@"
	report "$command" "-$command"
	is "$command: exit status with $option" 0 $?
	contains "$command: events with $option" "^# quality: .*[1-9][0-9]* $events, " "$command.txt"
}

kind heapstat "heap events" "$programs/heap_known"
kind iostat "I/O calls" cat /etc/passwd
kind locks "waits" "$programs/sync_known"
kind calls "traced calls" "$programs/ft_known"
kind hooks "user events" "$programs/user_work"
