# Real programs from Debian: the same output as without recording, and stacks that reach the start.
. "$(dirname "$0")/lib.sh"

# real NAME COMMAND...
real()
{
	local name=$1
	shift
	have "$1" || { skip "$name" "$1 is not installed"; return; }
	limited 60 "$@" >"$name.plain" 2>"$name.plain.err" <input
	local plain=$?
	limited 60 "$xcollect" -o "$name.er" -p hi -H on "$@" >"$name.out" 2>"$name.err" <input
	is "$name: exit status" $plain $?
	cmp -s "$name.plain" "$name.out"
	is "$name: output" 0 $?
	report "$name" -metrics e.totalcpu:i%totalcpu:name -functions
	is "$name: xer_print exits 0" 0 $?
	is "$name: no warnings" "" "$(head -3 "$name.txt.err")"
	local truncated
	truncated=$(sed -n 's/.*truncated stacks (\([0-9.]*\) %).*/\1/p' "$name.txt" | head -1)
	within "$name: truncated stacks, %" 0 0.5 "${truncated:-none}"
}

seq 1 200000 >input
real sqlite3 sqlite3 :memory: "create table t(a,b); with recursive n(i) as (select 1 union all select i+1 from n where i<200000) insert into t select i, i*i%1000 from n; select b, count(*), sum(a) from t group by b order by 2 desc, 1 limit 5;"
[ ! -x /usr/bin/python3 ] || real python3 /usr/bin/python3 -c '
import json, threading
def work(n):
    for i in range(n):
        json.loads(json.dumps({"a": list(range(50)), "b": "x" * i}))
threads = [threading.Thread(target=work, args=(2000,)) for _ in range(3)]
[t.start() for t in threads]
[t.join() for t in threads]
print(sum(i * i for i in range(500000)))'
real xz xz -T2 -6 -c --block-size=200000
real perl perl -e 'my %h; $h{$_ % 1000} .= $_ for 1 .. 300000; print length($h{7}), "\n"'
real openssl openssl dgst -sha256
real sort sort -R --random-source=/dev/zero input
real awk awk '{ s += $1; a[$1 % 1000] = $0 } END { print s, length(a) }'
