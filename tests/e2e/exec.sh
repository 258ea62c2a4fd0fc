# A process that executes another program: what it did before is recorded, and the header says what it became.
. "$(dirname "$0")/lib.sh"

record execed -p hi -- bash -c 'for i in {1..30000}; do :; done; exec echo became'
is "the executed program runs" became "$(cat execed.out)"
report execed -header all
contains "the header names it" '^Status +executed another program, _x1: /.*/echo$' execed.txt
report execed -functions
is "the time until then is readable" 0 $?
contains "and whole" 'covered (99|100)\.' execed.txt

record failed -p off -H on -- "$programs/exec_forms" fail
is "execs that fail change nothing" "2 2 2 2 2 2 2 2 2" "$(tr '\n' ' ' <failed.out | sed 's/ $//')"
report failed -header all
contains "and recording goes on to the end" '^Status +ended, exit code 7$' failed.txt

for form in execl execlp execle execv execvp execve execvpe fexecve execveat; do
	record "$form" -p off -- "$programs/exec_forms" "$form"
	is "$form passes its arguments and environment" "one two " "$(head -1 "$form.out")"
	report "$form" -header all
	contains "$form is noted" '^Status +executed another program' "$form.txt"
done

# The CPU time of exec itself counts for the image that calls it: user, system and CPU time agree.
record spent -p off -S off -- sh -c '(exec /bin/true); exec /bin/true'
is "user and system time are the CPU time, of each image" "2 ok" "$(sed -nE 's/^ <usage .*user_ns="([0-9]+)" system_ns="([0-9]+)" cpu_ns="([0-9]+)".*/\1 \2 \3/p' spent.er/*/log.xml |
	awk '{ d = $1 + $2 - $3; if (d > 300000 || d < -300000) wrong = wrong " " $0 } END { print NR, wrong == "" ? "ok" : wrong }')"

# A launcher's own time is short: the overview also shows how long the whole run took.
record launched -p hi -- sh -c "exec '$programs/burn50' 1 1"
report launched -overview
within "the overview's duration is that of the run" 0.9 100 "$(sed -nE 's/^ +Duration +[0-9.]+ seconds, with its descendants ([0-9.]+) seconds$/\1/p' launched.txt)"
is "user, system and what is either are the total" yes "$(awk '/^  Total CPU Time/ { t = $4 } /^  User CPU|^  System CPU|^  User or System/ { s += $(/or/ ? 5 : 4); n++ }
	END { d = t - s; print (n >= 2 && d < 0.003 && d > -0.003 ? "yes" : t " " s) }' launched.txt)"
