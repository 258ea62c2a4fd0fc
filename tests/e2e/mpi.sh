# MPI: calls, messages and bytes by known numbers with Open MPI and MPICH, four ranks; Fortran; ranks that die, programs without
# MPI.
tests=$(realpath "$(dirname "$0")/..")
source "$(dirname "$0")/lib.sh"

# Jobs on one machine, also in a container, as any user.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo OMPI_MCA_plm_rsh_agent=false

# job NAME OPTION... -- mpirun...: record a job that ends well. Sometimes Open MPI's launcher fails to start a job in a container,
# also without a recorder. If no rank has begun, the job is tried once more, with a message; any other failure counts.
job()
{
	record "$@" && return 0
	[ ! -s "$1.out" ] && ! grep -q 'name="mpi"\|kind="mpi"' "$1.er"/*/log.xml 2>/dev/null || return 1
	skip "$1: its job starts at once" "the launcher failed: $(grep -v '^Creating' "$1.err" | head -c 300 | tr '\n' ' ')" 0
	rm -rf "$1.er"
	record "$@"
}

# row FILE NAME COLUMN...: these columns of the line that begins with NAME
row() { awk -v name="$2" -v columns="${*:3}" 'BEGIN { n = split(columns, c, " ") } $1 == name { for (i = 1; i <= n; i++) printf "%s%s", $c[i], i < n ? " " : "\n"; exit }' "$1"; }

# metadata of known.c says how often each function is called: calls, bytes sent, bytes received; all four ranks together.
expected() { cat <<'END'
MPI_Send 44 16000 0
MPI_Recv 40 0 16000
MPI_Isend 20 10240 0
MPI_Irecv 20 0 10240
MPI_Waitall 16 0 0
MPI_Sendrecv 4 40 40
MPI_Send_init 4 96 0
MPI_Recv_init 4 0 96
MPI_Startall 12 0 0
MPI_Request_free 8 0 0
MPI_Comm_split 4 0 0
MPI_Barrier 16 0 0
MPI_Bcast 12 3000 9000
MPI_Allreduce 8 256 256
MPI_Gatherv 4 40 40
MPI_Alltoall 4 128 128
MPI_Allgather 4 16 64
MPI_Ibcast 4 1000 3000
MPI_Wait 4 0 0
MPI_Put 4 64 0
MPI_Get 4 0 96
MPI_Win_fence 8 0 0
MPI_File_write_at 4 400 0
MPI_File_read_at 4 0 400
MPI_Init 4 0 0
MPI_Finalize 4 0 0
END
}
messages="0:1:16:6570:16:6570:16:0 0:3:3:24:3:24:0:24 1:0:8:2584:8:2584:0:24 1:2:11:4010:11:4010:16:0 2:1:3:24:3:24:0:24 2:3:16:6570:16:6570:16:0 3:0:11:4010:11:4010:16:0 3:2:8:2584:8:2584:0:24"

for mpi in openmpi mpich; do
	if ! have mpicc.$mpi mpirun.$mpi || ! mpicc.$mpi -O1 -g -w -o known.$mpi "$tests/programs/mpi/known.c" 2>build.err; then
		skip "MPI of $mpi" "mpicc.$mpi does not work"
		continue
	fi
	if ! limited 60 mpirun.$mpi -np 4 ./known.$mpi plain.file >plain.out 2>plain.err; then
		skip "MPI of $mpi" "a job of 4 ranks does not run here: $(head -c 100 plain.err | tr '\n' ' ')"
		continue
	fi
	job $mpi -p hi -M on -- mpirun.$mpi -np 4 -- ./known.$mpi file
	is "$mpi: the exit status" 0 $?
	is "$mpi: the output" "$(cat plain.out)" "$(cat $mpi.out)"
	is "$mpi: a directory a rank" "M_r0.er M_r1.er M_r2.er M_r3.er" "$(cd $mpi.er && echo M_r*.er)"
	contains "$mpi: the rank in the log" '<event kind="mpi" .*rank="3" size="4"' $mpi.er/M_r3.er/log.xml
	report $mpi -mpifunctions
	cp $mpi.txt functions
	expected | while read -r name calls sent received; do
		is "$mpi: $name: calls, failed, bytes" "$calls 0 $sent $received" "$(row functions "$name" 3 4 7 8)"
	done
	report $mpi -mpimessages
	is "$mpi: messages from rank to rank, as both sides tell" "$messages" "$(echo $(awk '$1 ~ /^[0-9]+$/ { OFS = ":"; $1 = $1; print }' $mpi.txt))"
	report $mpi -mpiranks
	for rank in 0 1 2 3; do is "$mpi: rank $rank: calls, messages and bytes" "71 19 6594 19 6594" "$(row $mpi.txt $rank 5 6 7 8 9)"; done
	is "$mpi: imbalance of equal shares" "0 0 0 0 0" "$(row $mpi.txt imbalance 5 6 7 8 9)"
	report $mpi -printmode json -mpimessages
	contains "$mpi: JSON" '"mpimessages"' $mpi.txt
	report $mpi -exp_list
	is "$mpi: ranks in the list, nothing missing" "M_r0 M_r1 M_r2 M_r3" "$(echo $(grep -oE 'M_r[0-9]|left no experiment' $mpi.txt))"
	report $mpi -metrics i.mpisend:i.mpibytessent:i.mpireceive:i.mpibytesrecv:i.mpiother:name -functions
	is "$mpi: metrics of ring" "40 16000 40 16000 0" "$(awk '$NF == "ring" { print $1, $2, $3, $4, $5; exit }' $mpi.txt)"
	is "$mpi: metrics of pairs: receives count where they were asked for" "20 10240 20 10240 4" "$(awk '$NF == "pairs" { print $1, $2, $3, $4, $5; exit }' $mpi.txt)"
	report $mpi -filters 'MPIRANK == 1 && MPIFUNC == "MPI_Send" && MPIPEER == 2' -mpifunctions
	is "$mpi: filters" "10 4000" "$(row $mpi.txt MPI_Send 3 7)"
	# Clock samples in MPI_Init, which takes CPU time in every library.
	report $mpi -filters 'MPISTATE == "other"' -metrics i.totalcpu:i.mpiwork:name -functions
	within "$mpi: state of clock samples" 0.0001 100 "$(awk '$NF == "<Total>" { print $2 }' $mpi.txt)"
	report $mpi -export chrome trace.json
	contains "$mpi: calls in a trace" '"MPI_Sendrecv"' trace.json

	# One rank is killed in the middle of its work: what it and the others did before is recorded.
	record killed.$mpi -M on -- mpirun.$mpi -np 4 ./known.$mpi file 2
	report killed.$mpi -header all
	contains "$mpi: one rank killed: the recording can be read" '^MPI +(rank|started as rank) ' killed.$mpi.txt
	is "$mpi: all four are there" 4 "$(grep -cE '^MPI +(rank|started as rank) [0-9]+' killed.$mpi.txt)"
	contains "$mpi: and it died" '^Status +(died|killed by SIG)' killed.$mpi.txt

	# A job whose processes do not use MPI; MPI that is switched off.
	record none.$mpi -M $mpi -- mpirun.$mpi -np 2 "$programs/exitcodes" exit 0
	report none.$mpi -header all
	contains "$mpi: a job without MPI" '^MPI +no process called MPI_Init' none.$mpi.txt
	contains "$mpi: and its processes" '^MPI +started as rank 1; MPI_Init has not been called' none.$mpi.txt
	job off.$mpi -M on -m off -- mpirun.$mpi -np 2 ./known.$mpi file
	is "$mpi: -m off: ranks" "M_r0.er M_r1.er" "$(cd off.$mpi.er && echo M_r*.er)"
	is "$mpi: but no calls" no "$([ -e off.$mpi.er/M_r0.er/mpitrace ] && echo yes || echo no)"
	job plain.$mpi -m on -- mpirun.$mpi -np 2 ./known.$mpi file
	is "$mpi: -m on: calls" 2 "$(ls plain.$mpi.er/*/mpitrace | wc -l)"
	is "$mpi: but no names by rank" "M_r*.er" "$(cd plain.$mpi.er && echo M_r*.er)"

	# Calls that are left by longjmp, calls that fail, calls inside calls.
	mpicc.$mpi -O1 -w -o jump.$mpi "$tests/programs/mpi/jump.c"
	job jump.$mpi -M on -- mpirun.$mpi -np 2 ./jump.$mpi
	report jump.$mpi -mpifunctions
	is "$mpi: calls that fail" "2 2" "$(row jump.$mpi.txt MPI_Send 3 4)"
	is "$mpi: calls after jumps, and none in calls" "10 0" "$(row jump.$mpi.txt MPI_Barrier 3 4)"
	is "$mpi: calls with calls in them" "4 0 16 16" "$(row jump.$mpi.txt MPI_Allreduce 3 4 7 8)"

	# Communicators that are freed during a transfer of their messages, or during a pause; counts of one side; large types.
	mpicc.$mpi -O1 -w -I"$tests/../include" -o handles.$mpi "$tests/programs/mpi/handles.c"
	limited 60 mpirun.$mpi -np 4 ./handles.$mpi >plain.out 2>&1
	is "$mpi: handles that go, not recorded" "0 " "$? $(cat plain.out)"
	job handles.$mpi -M on -- mpirun.$mpi -np 4 ./handles.$mpi
	is "$mpi: handles that go: the exit status and the output" "0 " "$? $(cat handles.$mpi.out)"
	report handles.$mpi -mpifunctions
	for expected in "MPI_Irecv 808 0 0 3232" "MPI_Mrecv 4 0 0 48" "MPI_Allgather 8 0 32 96" "MPI_Bcast 4 0 17179869184 0" \
		"MPI_Reduce_scatter 4 0 96 48" "MPI_Reduce_scatter_block 4 0 96 48"; do
		is "$mpi: handles that go: $expected" "${expected#* }" "$(row handles.$mpi.txt "${expected%% *}" 3 4 7 8)"
	done
	report handles.$mpi -mpimessages
	for rank in 0 1 2 3; do # from each rank to the one before it: of 3 messages, one whose receive named its sender
		is "$mpi: messages of freed communicators: from $rank" "3 20 1 4" "$(awk -v from=$rank -v to=$(((rank + 3) % 4)) '$1 == from && $2 == to { print $3, $4, $5, $6 }' handles.$mpi.txt)"
	done

	# MPI 4.1, where the library has it
	if mpicc.$mpi -O1 -w -o newest.$mpi "$tests/programs/mpi/newest.c" 2>build.err; then
		job newest.$mpi -M on -- mpirun.$mpi -np 2 ./newest.$mpi
		is "$mpi: MPI 4.1: the exit status and the output" "0 " "$? $(cat newest.$mpi.out)"
		report newest.$mpi -mpifunctions
		cp newest.$mpi.txt functions
		for name in Request_get_status_all Request_get_status_any Request_get_status_some Buffer_flush Buffer_iflush Comm_attach_buffer \
			Comm_detach_buffer Comm_flush_buffer Comm_iflush_buffer Session_attach_buffer Session_detach_buffer Session_flush_buffer \
			Session_iflush_buffer; do
			is "$mpi: MPI_$name: calls, failed, bytes" "2 0 0 0" "$(row functions MPI_$name 3 4 7 8)"
		done
		is "$mpi: MPI 4.1: a buffered message" "2 0 32 0" "$(row functions MPI_Bsend 3 4 7 8)"
	else
		skip "$mpi: MPI 4.1" "this version of the library does not have it" 15
	fi

	# One thread frees communicators while another thread's call on them goes on: what is known of them stays until the call
	# has used it, however long that takes, and the library is asked nothing more. (MPICH's own MPI_Recv may wait for ever.)
	# NULL handles are left to the library to refuse.
	cat >slow.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
int PMPI_Test_cancelled(const void *status, int *flag)
{
	int (*next)(const void *, int *) = (int (*)(const void *, int *))dlsym(RTLD_NEXT, "PMPI_Test_cancelled");

	usleep(1000);
	return next(status, flag);
}
END
	gcc -w -shared -fPIC -o slow.so slow.c -ldl
	mpicc.$mpi -O1 -w -o freed.$mpi "$tests/programs/mpi/freed.c" -lpthread
	for what in wait receive comm message; do
		[ $what$mpi != receivempich ] || continue
		slow=
		[ $what != wait ] || slow=$PWD/slow.so
		{ LD_PRELOAD=$slow timeout -k 5 90 ./freed.$mpi $what >plain.out 2>plain.err; } 2>/dev/null
		status=$?
		LD_PRELOAD=$slow record freed.$mpi -p off -m on -A off -- ./freed.$mpi $what
		recorded=$?
		is "$mpi: $what: the exit status and the output" "$status $(cat plain.out)" "$recorded $(grep -v '^Creating' freed.$mpi.out)"
		if [ $what = wait ] && [ -e freed.$mpi.er/mpitrace ]; then
			report freed.$mpi -mpimessages
			is "$mpi: messages of communicators that another thread frees" "100 400 100 400" "$(row freed.$mpi.txt 0 3 4 5 6)"
		fi
		rm -rf freed.$mpi.er
	done

	# A process that runs already, recorded twice: each recording knows which rank it is.
	cat >loop.c <<'END'
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	alarm(60);
	MPI_Init(&argc, &argv);
	for (close(creat("loops", 0644)); access("enough", F_OK) != 0; usleep(1000))
		MPI_Barrier(MPI_COMM_WORLD);
	return MPI_Finalize();
}
END
	mpicc.$mpi -w -include fcntl.h -o loop.$mpi loop.c
	rm -f loops enough
	./loop.$mpi >loop.out 2>&1 &
	target=$!
	for ((i = 0; i < 200; i++)); do [ -e loops ] || sleep 0.05; done
	if [ -e loops ]; then
		for time in first second; do
			rm -rf $time.er
			limited 60 "$xcollect" -P $target -o $time.er -p off -m on -A off -t 0.3 >$time.out 2>$time.err
			contains "$mpi: the rank of a process that runs already, the $time time" '<event kind="mpi" .*rank="0" size="1"' $time.er/log.xml
		done
	else
		skip "$mpi: a process that runs already" "it does not run without a launcher"
	fi
	touch enough
	wait $target

	# Fortran: each call is counted once, however the library's Fortran functions call those for C.
	for language in mpi mpi_f08; do
		sed "s/use mpi$/use $language/" "$tests/programs/mpi/fortran.f90" >fortran.f90
		[ $language = mpi ] || sed -i 's/^ *integer :: request$/type(MPI_Request) :: request/' fortran.f90
		if ! have mpif90.$mpi gfortran || ! mpif90.$mpi -o fortran.$mpi fortran.f90 2>build.err; then
			skip "$mpi: Fortran, $language" "mpif90.$mpi does not work"
			continue
		fi
		job fortran -M on -- mpirun.$mpi -np 3 ./fortran.$mpi
		report fortran -mpifunctions
		for expected in MPI_Send:21:4200:0 MPI_Irecv:21:0:4200 MPI_Wait:21:0:0 MPI_Allreduce:3:36:36 MPI_Barrier:3:0:0 MPI_Init:3:0:0; do
			is "$mpi: Fortran, $language: ${expected%%:*}" "$(echo "${expected#*:}" | tr : ' ')" "$(row fortran.txt "${expected%%:*}" 3 7 8)"
		done
		rm -rf fortran.er
	done

	# Functions of libraries that were loaded in a local scope.
	cat >plugin.c <<'END'
#include <mpi.h>
int plugin(void);
int plugin(void)
{
	int rank;

	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	return MPI_Finalize();
}
END
	cat >host.c <<'END'
#include <dlfcn.h>
int main(void)
{
	void *library = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
	int (*plugin)(void) = library ? (int (*)(void))dlsym(library, "plugin") : 0;

	return plugin ? plugin() : 2;
}
END
	mpicc.$mpi -shared -fPIC -o plugin.so plugin.c 2>build.err && gcc -o host host.c -ldl
	./host 2>/dev/null
	if [ $? -eq 0 ]; then
		job host -m on -- ./host
		is "$mpi: in a library that is loaded" 0 $?
		report host -mpifunctions
		is "$mpi: its calls" 1 "$(row host.txt MPI_Barrier 3)"
		rm -rf host.er
	else
		skip "$mpi: in a library that is loaded" "it does not work by itself"
	fi

	# Every function of the table is in the library or in a later standard; and every function of the library whose name says
	# that it moves data, synchronizes, or reads and writes files is in the table.
	library=$(ldd known.$mpi | awk '$1 ~ /^libmpi(ch)?\.so/ { print $3 }')
	nm -D --defined-only "$library" | awk '$3 ~ /^MPI_/ { print $3 }' | sort -u >exported
	nm -D --defined-only "$BUILD/lib/xer/libcollector.so" | awk '$3 ~ /^MPI_/ { print $3 }' | sort -u >wrapped
	quiet='_(get|set|call|create)_(attr|name|info|errhandler|keyval|amode|atomicity|byte_offset|group|position|position_shared|size|type_extent|view|parent)(_c)?$'
	quiet="$quiet|^MPI_(T_|Type_|Group_|Info_|Errhandler_|Op_|Attr_|Keyval_|Session_|Status_|Get_(version|library|hw_resource|processor|address|count|elements)|Add_error|Remove_error|Error_|Grequest_|Aint_|AINT_|F_|F08_|W(TIME|TICK)|Wtim|Wtick)"
	quiet="$quiet|_(c2f|f2c|free_keyval|delete_attr|compare|rank|size|test_inter|group|remote_group|remote_size|coords|get|map|shift|neighbors|neighbors_count)(_c)?$|_FN$|_NULL$|UNWEIGHTED|WEIGHTS_EMPTY"
	quiet="$quiet|^MPI_(Address|Alloc_mem|Free_mem|Cartdim_get|Close_port|Open_port|Dims_create|Finalized|Initialized|Is_thread_main|Query_thread|Topo_test|Test_cancelled|Pcontrol|Graphdims_get|Lookup_name|Publish_name|Unpublish_name|Register_datarep|Pack_size|Pack_external_size|Win_shared_query)(_c)?$|_create_errhandler$"
	is "$mpi: functions that move data, synchronize, or do input and output, and have no wrapper" "" "$(echo $(comm -23 exported wrapped | grep -vE "$quiet"))"
	comm -13 exported wrapped >>not.$mpi

	# The numbers of arguments: a wrapper that is given too small a number would lose those on the stack.
	if have python3; then
		echo '#include <mpi.h>' | mpicc.$mpi -E -P -x c - >declared.i 2>build.err
		is "$mpi: numbers of arguments are those of mpi.h" "none wrong" "$(python3 - declared.i "$tests/../libcollector/mpi/mpi.def" <<'END'
import re, sys
declared = {}
for name, parameters in re.findall(r'\b(MPI_[A-Z]\w+)\s*\(([^;{}]*?)\)[^;{}]*;', open(sys.argv[1]).read(), re.S):
    parameters = re.sub(r'\([^()]*\)|\[[^\]]*\]', '', parameters).strip()
    declared[name] = 0 if parameters in ('', 'void') else parameters.count(',') + 1
found, wrong = 0, []
for kind, name, words in re.findall(r'^(CALL|COUNTED)\((\w+), (\d+)', open(sys.argv[2]).read(), re.M):
    for form in ['MPI_' + name] + (['MPI_' + name + '_c'] if kind == 'COUNTED' else []):
        found += form in declared
        if declared.get(form, int(words)) != int(words):
            wrong.append(form)
print(' '.join(wrong) if found > 150 and wrong else 'none wrong' if found > 150 else f'only {found} declared')
END
)"
	else
		skip "$mpi: numbers of arguments are those of mpi.h" "python3 is missing"
	fi
done
if [ -e not.openmpi ] && [ -e not.mpich ]; then
	# Messages whose stacks are lost still count for their rank.
cp -r "$tests/golden/rank.er" bare.er
rm bare.er/frameinfo
report bare -mpiranks
is "messages and bytes without stacks" "71 19 6594 19 6594" "$(row bare.txt 0 5 6 7 8 9)"

# MPI 4.1 came with these; libraries before it lack them.
newest='^MPI_(Request_get_status_(all|any|some)|Buffer_i?flush|(Comm|Session)_(i?flush|attach|detach)_buffer(_c)?)$'
is "wrappers of functions that no library has" "" "$(echo $(comm -12 <(sort -u not.openmpi) <(sort -u not.mpich) | grep -vE "$newest"))"
fi

# -M with a program that is no MPI launcher: one line says so, and the program runs.
record other -M on -- "$programs/exitcodes" exit 3
is "-M without a launcher: the exit status" 3 $?
is "-M without a launcher: one line" 1 "$(grep -c 'is no launcher of MPI jobs that is known' other.err)"
"$xcollect" -M bogus true >bogus.out 2>&1
is "-M that is no MPI" 125 $?
