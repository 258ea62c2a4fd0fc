# Input/output tracing: exact numbers from a program whose source says what it calls, and programs that must not notice.
. "$(dirname "$0")/lib.sh"
have python3 || { skip "input and output facts" "python3 is not installed"; exit 0; }

# Reads iotrace: prints "call FUNC ERROR COUNT BYTES" for each such pair, and "file NAME FUNC COUNT BYTES SYSTEM".
cat >decode.py <<'END'
import collections, struct, sys

def payloads(data):
    at = 32
    while at < len(data):
        if data[at] != 1:
            at = (at // 512 + 1) * 512
            continue
        at += 48
        while at < len(data) and data[at] == 11:
            size = struct.unpack_from("<I", data, at + 1)[0]
            yield data[at + 16:at + 16 + size]
            at += 16 + size
        if at < len(data) and data[at] == 3:
            at += 16

calls, files, names = collections.Counter(), collections.Counter(), {}
for payload in payloads(open(sys.argv[1], "rb").read()):
    if payload[0] == 82:
        size, number, system = struct.unpack_from("<HII", payload, 2)
        names[number] = (payload[16:16 + size].decode(errors="replace"), system)
    elif payload[0] == 80:
        func, error = struct.unpack_from("<BH", payload, 1)
        moved, number = int.from_bytes(payload[10:16], "little"), struct.unpack_from("<I", payload, 24)[0]
        for counter, key in (calls, (func, error)), (files, (number, func)):
            counter[key, "count"] += 1
            counter[key, "bytes"] += moved
for key in sorted({key for key, _ in calls}):
    print("call", *key, calls[key, "count"], calls[key, "bytes"])
for key in sorted({key for key, _ in files}):
    name, system = names.get(key[0], ("unknown", 0))
    print("file", name, key[1], files[key, "count"], files[key, "bytes"], system)
END

# decoded NAME: the calls in NAME.er to NAME.calls
decoded() { python3 decode.py "$1.er/iotrace" >"$1.calls"; }

# calls NAME CLAIM FUNC ERROR COUNT BYTES
calls()
{
	is "$1: $2" "$5 $6" "$(awk -v f="$3" -v e="$4" '$1 == "call" && $2 == f && $3 == e { print $4, $5 }' "$1.calls")"
}

for n in 1 8; do
	t=known$n
	mkdir "files$n"
	record $t -p off -i on -- "$programs/io_known" "$PWD/files$n" $n
	is "io_known with $n threads exits 0" 0 $?
	decoded $t
	calls $t open 1 0 $((3 * n)) 0
	calls $t "open that fails" 1 2 $((4 * n)) 0
	calls $t close 2 0 $((8 * n + 4)) 0
	calls $t dup 3 0 $n 0
	calls $t pipe 4 0 $((n + 1)) 0
	calls $t socketpair 5 0 $n 0
	calls $t lseek 8 0 $((7 * n)) 0
	calls $t fsync 9 0 $((2 * n)) 0
	calls $t mmap 10 0 $n 0
	calls $t fopen 11 0 $((2 * n)) 0
	calls $t "fopen that fails" 11 2 $n 0
	calls $t fclose 12 0 $((2 * n)) 0
	calls $t fflush 13 0 $n 0
	calls $t stat 14 0 $((9 * n)) 0
	calls $t "access that fails" 14 2 $((3 * n)) 0
	calls $t directories 15 0 $((9 * n)) 0
	calls $t "access with a bad pointer" 14 14 1 0
	calls $t "closedir of NULL" 15 22 1 0
	calls $t "truncate with a bad pointer" 16 22 1 0
	calls $t metadata 16 0 $((26 * n)) 0
	calls $t "a link to a name that is there" 16 17 $n 0
	calls $t "a link to nothing" 16 2 $n 0
	calls $t read 64 0 $((52 * n)) $((505 * n))
	calls $t "read of a bad descriptor" 64 9 $((3 * n)) 0
	calls $t "read that is interrupted" 64 4 1 0
	calls $t pread 65 0 $((20 * n)) $((160 * n))
	calls $t readv 66 0 $((5 * n)) $((35 * n))
	calls $t recv 67 0 $((6 * n)) $((54 * n))
	calls $t "fread and getc" 68 0 $((11 * n + 1)) $((150 * n))
	calls $t "fgets and getdelim" 69 0 $((11 * n + 6)) $((50 * n + 12))
	calls $t write 128 0 $((101 * n + 2)) $((705 * n + 20))
	calls $t pwrite 129 0 $((10 * n)) $((160 * n))
	calls $t writev 130 0 $((5 * n)) $((35 * n))
	calls $t send 131 0 $((6 * n)) $((54 * n))
	calls $t fwrite 132 0 $((10 * n + 1)) $((80 * n))
	calls $t "fputs and fputc" 133 0 $((20 * n)) $((60 * n))
	calls $t fprintf 134 0 $((10 * n)) $((60 * n))
	calls $t sendfile 135 0 $n $((100 * n))
	calls $t "read by sendfile" 70 0 $n $((100 * n))
	is "$t: no other calls" 39 "$(grep -c ^call $t.calls)"
	wrong=0
	for ((i = 0; i < n; i++)); do
		grep -qE "^file $PWD/files$n/file$i 128 100 700 [1-9]" $t.calls || wrong=$((wrong + 1))
		grep -qE "^file $PWD/files$n/file$i.more/c 16 4 0 " $t.calls || wrong=$((wrong + 1))
		grep -qE "^file $PWD/files$n/stream$i 134 10 60 [1-9]" $t.calls || wrong=$((wrong + 1))
	done
	is "$t: every file has its calls" 0 $wrong
	contains "$t: the descriptor that pclose has closed is another file's" '^file /memfd:after .deleted. 128 1 9 ' $t.calls
	contains "$t: a path that was not there" '^file /nowhere/at/all 1 ' $t.calls
	absent "$t: nothing is lost" 'count name="lost_[a-z]*"' $t.er/log.xml
done

# ---- the functions that io_known does not call
record others -p off -i on -- "$programs/io_others" "$PWD/absent"
is "io_others exits 0" 0 $?
decoded others
calls others "attributes of what is not there" 14 2 12 0
calls others "attributes of no descriptor" 14 9 4 0
calls others "changed attributes of what is not there" 16 2 10 0
calls others "changed attributes of no descriptor" 16 9 2 0
calls others "dup3 of no descriptor" 3 9 1 0
calls others directories 15 0 3 0
calls others putc 133 0 1 1
calls others "printf with a va_list" 134 0 6 18
is "others: no other calls but fopen and fclose" 10 "$(grep -c ^call others.calls)"

# real NAME COMMAND...: it behaves the same, in a fresh directory, when it is traced, and its calls are recorded
real()
{
	local name=$1 plain
	shift
	have "$1" || { skip "$name" "$1 is not installed"; return; }
	rm -rf box
	mkdir box
	(cd box && exec timeout 60 "$@") >"$name.plain" 2>"$name.plain.err" </dev/null
	plain=$?
	rm -rf box
	mkdir box
	(cd box && exec timeout 60 "$xcollect" -o "../$name.er" -p off -i on -- "$@") >"$name.out" 2>"$name.err" </dev/null
	is "$name: exit status" "$plain recorded" "$? $([ ! -s "$name.er/log.xml" ] || echo recorded)"
	sed -i '/^Creating experiment directory/d' "$name.err"
	is "$name: output" "$(cat "$name.plain" "$name.plain.err")" "$(cat "$name.out" "$name.err")"
	decoded "$name"
	within "$name: calls" 1 10000000 "$(awk '$1 == "call" { n += $4 } END { print n }' "$name.calls")"
}

real sqlite3 sqlite3 base.db "create table t(a, b);
	with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) insert into t select i, i * i % 1000 from n;
	create index x on t(b); vacuum; select count(*), sum(a) from t where b < 100; pragma integrity_check;"
real python /usr/bin/python3 -c '
import os, socket, subprocess, threading
print(open("/etc/passwd").readline())
def serve(listener):
    peer, _ = listener.accept()
    while data := peer.recv(100):
        peer.sendall(data.upper())
    peer.close()
listener = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=serve, args=(listener,)).start()
client = socket.create_connection(listener.getsockname())
for i in range(100):
    client.sendall(b"line %d" % i)
    assert client.recv(100) == b"LINE %d" % i
client.close()
print(subprocess.run(["echo", "child"], capture_output=True).stdout)
print(subprocess.run("exit 3", shell=True).returncode, os.listdir("."))
try: os.read(99, 1)
except OSError as error: print(error)'
contains "python: the peers of sockets are named" '^file tcp 127\.0\.0\.1:[0-9]+ 131 100 690 0$' python.calls
real git git -c init.defaultBranch=main init .
real perl perl -e 'open my $f, ">", "x" or die; print $f "line $_\n" for 1 .. 1000; close $f; open $f, "<", "x"; my @l = <$f>;
	print scalar(@l), " ", -s "x", "\n"; print `echo child`; open $f, "<", "none" or print "$!\n"'
real tar tar cf x.tar -C /usr/share/perl5 .
real sort bash -c 'seq 1 100000 >x; exec sort -R --random-source=/dev/zero -S 100k x'

# Copies are read from their source, the last item of a stream may not be whole, and there are calls that are asked for
# and asked after, and calls past the C library's functions.
cat >counts.c <<'C'
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
static char block[10000];
static long wait_for(struct aiocb *request)
{
	for (int i = 0; i < 10000 && aio_error(request) == EINPROGRESS; i++)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	return aio_return(request);
}
int main(void)
{
	int source = open("source", O_RDWR | O_CREAT | O_TRUNC, 0600), target = open("target", O_RDWR | O_CREAT | O_TRUNC, 0600);
	int ends[2], others[2];
	off_t at = 0;
	loff_t long_at = 0;
	FILE *items = fopen("items", "w+");
	struct aiocb request = {.aio_fildes = open("asked", O_RDWR | O_CREAT | O_TRUNC, 0600), .aio_buf = block, .aio_nbytes = 600};
	if (write(source, block, 5000) != 5000 || pipe(ends) != 0 || pipe(others) != 0)
		return 1;
	printf("sendfile %ld\n", (long)sendfile(target, source, &at, 1000));
	printf("copy %ld\n", (long)copy_file_range(source, &long_at, target, NULL, 700, 0));
	long_at = 0;
	printf("splice %ld\n", (long)splice(source, &long_at, ends[1], NULL, 300, 0));
	printf("tee %ld\n", (long)tee(ends[0], others[1], 300, 0));
	printf("vmsplice %ld\n", (long)vmsplice(others[1], &(struct iovec){block, 50}, 1, 0));
	printf("items %zu", fwrite(block, 100, 7, items) + fwrite(block, 50, 1, items));
	rewind(items);
	printf(" %zu", fread(block, 100, 10, items));
	printf(" %ld\n", ftell(items));
	printf("asked %d", aio_write(&request));
	printf(" %ld", wait_for(&request));
	request.aio_nbytes = 10000;
	printf(" %d", aio_read(&request));
	printf(" %ld\n", wait_for(&request));
	printf("called %ld", syscall(SYS_pwrite64, target, block, 40L, 0L));
	printf(" %ld\n", syscall(SYS_pread64, target, block, 20L, 0L));
	return 0;
}
C
if have gcc && gcc -O2 -o counts counts.c -lrt 2>counts.log; then
	record counts -p off -i on -- ./counts
	./counts >bare.out
	is "copies and items: the program's own numbers" "$(<bare.out)" "$(<counts.out)"
	report counts -ioactivity
	for expected in source:3:2000:1:5000 target:1:20:3:1740 items:1:750:2:750 asked:1:600:1:600; do
		IFS=: read -r file reads read writes written <<<"$expected"
		is "reads, bytes, writes, bytes of $file" "$reads $read $writes $written" \
			"$(awk -v file="/$file" 'substr($11, length($11) - length(file) + 1) == file { print $1, $2, $4, $5 }' counts.txt)"
	done
else
	skip "copies and items" "no gcc"
fi

# What a number stands for may change by syscall(2), too: then it is looked up again.
cat >numbers.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static int use(int fd, int times)
{
	int bad = 0;
	for (int i = 0; i < times; i++)
		bad += write(fd, "seven..", 7) != 7;
	return bad;
}
static int open_past(const char *path)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT, 0600);
}
int main(void)
{
	int fd = open("opened", O_RDWR | O_CREAT, 0600), bad = use(fd, 1), other;
	bad += syscall(SYS_close, fd) != 0 || open_past("closed") != fd || use(fd, 2);
	other = open("other", O_RDWR | O_CREAT, 0600);
	bad += syscall(SYS_dup2, other, fd) != fd || use(fd, 4) || syscall(SYS_close, fd) != 0 || open_past("dup2") != fd || use(fd, 8);
	bad += syscall(SYS_dup3, other, fd, O_CLOEXEC) != fd || use(fd, 16);
	bad += syscall(SYS_close_range, fd, fd, 0) != 0 || open_past("range") != fd || use(fd, 32);
	bad += close_range((unsigned)fd, (unsigned)fd, 0) != 0 || open_past("called") != fd || use(fd, 64);
	printf("%d\n", bad);
	return bad;
}
C
if have gcc && gcc -O2 -o numbers numbers.c 2>numbers.log && ./numbers >numbers.out; then
	record numbers -p off -i on -- ./numbers
	is "syscall(2) changes what numbers stand for: the program's own result" 0 "$(<numbers.out)"
	report numbers -ioactivity
	for expected in opened:1 closed:2 other:20 dup2:8 range:32 called:64; do
		is "writes to $expected" "${expected#*:}" \
			"$(awk -v file="/${expected%:*}" 'substr($11, length($11) - length(file) + 1) == file { print $4 }' numbers.txt)"
	done
else
	skip "numbers and syscall(2) (7 claims)" "no gcc, or a kernel without close_range"
fi

# A server with clients, if one is installed.
if have redis-server redis-cli; then
	{ limited 60 "$xcollect" -o redis.er -p off -i on -- redis-server --port 0 --unixsocket redis.sock --save '' \
		>redis.out 2>redis.err & } 2>/dev/null
	for _ in {1..100}; do [ ! -S redis.sock ] || break; sleep 0.1; done
	for i in {1..20}; do echo "set key$i value$i"; echo "get key$i"; done | redis-cli -s redis.sock >answers
	is "redis-server answers" 20 "$(grep -c '^value' answers)"
	redis-cli -s redis.sock shutdown nosave
	wait
	decoded redis
	contains "redis-server: its socket is named" "^file unix redis.sock " redis.calls
else
	skip "redis-server" "it is not installed"
fi

# A ring of liburing goes past all wrappers.
cat >ring.c <<'C'
#include <fcntl.h>
#include <liburing.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	struct io_uring ring;
	struct io_uring_cqe *done;
	int result = io_uring_queue_init(8, &ring, 0);
	if (result == 0) {
		io_uring_prep_write(io_uring_get_sqe(&ring), open("rung", O_RDWR | O_CREAT, 0600), "ring", 4, 0);
		io_uring_submit(&ring);
		io_uring_wait_cqe(&ring, &done);
		result = done->res;
		io_uring_cqe_seen(&ring, done);
	}
	/* Two requests a call, by another function. */
	for (int i = 0; argc > 1 && i < 5; i++) {
		io_uring_prep_nop(io_uring_get_sqe(&ring));
		io_uring_prep_nop(io_uring_get_sqe(&ring));
		result += io_uring_submit_and_wait(&ring, 2);
		io_uring_cq_advance(&ring, 2);
	}
	printf("%d\n", result);
	return 0;
}
C
# ---- more names than the table has room for
cat >names.c <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int use(const char *path, int times)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0600), bad = 0;
	for (int i = 0; i < times; i++)
		bad += write(fd, "0123456789", 10) != 10;
	return bad + close(fd);
}
int main(int argc, char **argv)
{
	char path[64];
	int bad = use("always", 10);
	for (int i = 0; i < atoi(argv[argc - 1]); i++) {
		snprintf(path, sizeof(path), "many/%d", i);
		bad += use(path, 1) + unlink(path);
	}
	return bad + use("always", 10) + use("last", 1000);
}
C
if have gcc && gcc -O1 -o names names.c; then
	mkdir -p many
	record names -p off -i on -- ./names 20000
	is "20,000 files" 0 $?
	report names -ioactivity
	contains "each has its two names, and of equal names there is one" '^Files: 40002,' names.txt
	contains "the last file has its bytes" ' 1000 *10000 .*/last ' names.txt
	contains "the first as well, also those of later" ' 20 *200 .*/always ' names.txt
	report names -iodetail
	is "its descriptor is one" 1 "$(grep -c '/always ' names.txt)"
	is "no name is lost" 0 "$(grep -c 'lost_files' names.er/log.xml)"
fi

if have gcc && gcc -O1 -o ring ring.c -luring 2>ring.log; then
	./ring >bare.out
	record ring -p off -i on -- ./ring
	is "a program that uses liburing: its result" "$(<bare.out)" "$(<ring.out)"
	contains "a warning says what is not recorded" 'input and output by io_uring is not recorded' ring.er/log.xml
	is "once" 1 "$(grep -c 'text=.*io_uring' ring.er/log.xml)"
	report ring -header
	contains "and how much" 'requests of io_uring, as far as calls handed them over: 1, by 1 calls; rings: 1: not recorded' ring.txt
	record many -p off -i on -- ./ring 5
	is "of more requests: its result" "$(./ring 5)" "$(<many.out)"
	report many -header
	contains "they are counted" 'handed them over: 11, by 6 calls; rings: 1: not recorded' many.txt
	record unasked -p on -- ./ring
	is "without -i there is no warning" 0 "$(grep -c io_uring unasked.er/log.xml)"
else
	skip "a program that uses liburing" "liburing-dev is not installed" 7
fi

# Older ones (2.1) make their system calls by syscall(2). This one opens a ring, and its function for that calls another.
cat >oldring.c <<'END'
#include <linux/io_uring.h>
#include <sys/syscall.h>
#include <unistd.h>
int io_uring_queue_init_params(unsigned entries, struct io_uring *ring, struct io_uring_params *wishes)
{
	return syscall(SYS_io_uring_setup, entries, wishes);
}
int io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags)
{
	struct io_uring_params wishes = {.flags = flags};

	return io_uring_queue_init_params(entries, ring, &wishes);
}
END
cat >opens.c <<'END'
struct io_uring;
int io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags);
int main(void)
{
	return io_uring_queue_init(4, 0, 0) < 0 ? 77 : 0;
}
END
if have gcc && gcc -shared -fPIC -w -o libold.so oldring.c 2>/dev/null && gcc -o opens opens.c ./libold.so && ./opens; then
	record opens -p off -i on -- ./opens
	report opens -header
	contains "a ring that an older liburing opens is counted once" 'by 0 calls; rings: 1: not recorded' opens.txt
else
	skip "an older liburing" "no gcc, or no rings" 1
fi
