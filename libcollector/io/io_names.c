/* io_names.c: see io_names.h. */
#include "libcollector/io/io_names.h"

#include "libcollector/base/collector.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/vfs.h>

/* Behind the name comes that of the own end, once that has begun. */
static void put_char(struct io_name *name, char c)
{
	size_t at = name->header.name_size + name->header.end_size;

	if (name->is_end && name->header.end_size < IO_END_SIZE) {
		name->text[at] = c;
		name->header.end_size++;
	} else if (!name->is_end && at < IO_NAME_SIZE) {
		name->text[at] = c;
		name->header.name_size++;
	}
}

static void put_text(struct io_name *name, const char *text, size_t max)
{
	for (; max > 0 && *text; max--)
		put_char(name, *text++);
}

static void put_number(struct io_name *name, uint64_t value)
{
	if (value >= 10)
		put_number(name, value / 10);
	put_char(name, (char)('0' + value % 10));
}

static void put_hex(struct io_name *name, unsigned value)
{
	if (value >= 16)
		put_hex(name, value / 16);
	put_char(name, "0123456789abcdef"[value % 16]);
}

/* Begin a name: all words that will be hashed and written are zero after the end of the text. */
static void begin(struct io_name *name)
{
	memset(name, 0, sizeof(*name));
	name->header.kind = FMT_KIND_io_file;
}

void io_name_path(struct io_name *name, const char *path)
{
	begin(name);
	put_text(name, path, IO_NAME_SIZE);
}

/* ---- sockets ---- */

union address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un un;
};

static void put_protocol(struct io_name *name, int fd)
{
	int type = 0;
	socklen_t size = sizeof(type);

	SYS5(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &size);
	if (type == SOCK_STREAM)
		put_text(name, "tcp ", IO_NAME_SIZE);
	else if (type == SOCK_DGRAM)
		put_text(name, "udp ", IO_NAME_SIZE);
	else
		put_text(name, "ip ", IO_NAME_SIZE);
}

static void put_in(struct io_name *name, const struct sockaddr_in *in)
{
	const uint8_t *byte = (const uint8_t *)&in->sin_addr;

	for (int i = 0; i < 4; i++) {
		put_number(name, byte[i]);
		put_char(name, i < 3 ? '.' : ':');
	}
	put_number(name, ntohs(in->sin_port));
}

static void put_in6(struct io_name *name, const struct sockaddr_in6 *in6)
{
	const uint8_t *byte = (const uint8_t *)&in6->sin6_addr;

	put_char(name, '[');
	for (int i = 0; i < 16; i += 2) {
		put_hex(name, (unsigned)byte[i] << 8 | byte[i + 1]);
		put_char(name, i < 14 ? ':' : ']');
	}
	put_char(name, ':');
	put_number(name, ntohs(in6->sin6_port));
}

/* The address that `call` (getpeername or getsockname) returns. Returns 0, or -1 if it returns none
 * that says anything. */
static int address_of(int fd, long call, union address *address, socklen_t *size)
{
	*size = sizeof(*address);
	memset(address, 0, sizeof(*address));
	if (SYS3(call, fd, address, size) < 0)
		return -1;
	switch (address->any.sa_family) {
	case AF_INET:
		return address->in.sin_port ? 0 : -1;
	case AF_INET6:
		return address->in6.sin6_port ? 0 : -1;
	case AF_UNIX:
		return *size > offsetof(struct sockaddr_un, sun_path) ? 0 : -1;
	default:
		return -1;
	}
}

static void put_address(struct io_name *name, int fd, const union address *address, socklen_t size)
{
	size_t header = offsetof(struct sockaddr_un, sun_path);
	int is_abstract = !address->un.sun_path[0];

	if (address->any.sa_family == AF_INET) {
		put_protocol(name, fd);
		put_in(name, &address->in);
	} else if (address->any.sa_family == AF_INET6) {
		put_protocol(name, fd);
		put_in6(name, &address->in6);
	} else {
		put_text(name, "unix ", IO_NAME_SIZE);
		if (is_abstract)
			put_char(name, '@');
		put_text(name, address->un.sun_path + is_abstract,
		         size - header - (size_t)is_abstract);
	}
}

/* Is the other end of a connection on this machine? Not all addresses of it are known here, but
 * those are that a program uses for it: the loopback, or the address of its own end. */
static int is_here(const union address *peer, const union address *own)
{
	const uint8_t *byte = (const uint8_t *)&peer->in.sin_addr;

	if (peer->any.sa_family == AF_INET)
		return byte[0] == IN_LOOPBACKNET ||
		       peer->in.sin_addr.s_addr == own->in.sin_addr.s_addr;
	return peer->any.sa_family == AF_INET6 &&
	       (IN6_IS_ADDR_LOOPBACK(&peer->in6.sin6_addr) ||
	        memcmp(&peer->in6.sin6_addr, &own->in6.sin6_addr, sizeof(own->in6.sin6_addr)) == 0);
}

/* A socket that listens is nobody's other end, though the kernel names its own process as such. */
static int listens(int fd)
{
	int is_listening = 0;
	socklen_t size = sizeof(is_listening);

	SYS5(SYS_getsockopt, fd, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &size);
	return is_listening;
}

/* Of a UNIX socket with a path, both ends have the same name: they differ by who connected. */
static void put_unix_end(struct io_name *name, int fd, int is_client)
{
	struct ucred peer = {.pid = col.pid};
	socklen_t size = sizeof(peer);

	if (!is_client &&
	    (listens(fd) || SYS5(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0))
		return;
	if (peer.pid <= 0)
		return; /* it is not connected */
	name->is_end = 1;
	put_text(name, is_client ? "client " : "server of ", IO_END_SIZE);
	put_number(name, (unsigned)peer.pid);
}

/* Returns 0, or -1 if there is no address. */
static int describe_socket(struct io_name *name, int fd)
{
	union address peer, own;
	socklen_t peer_size, own_size;
	int has_peer = address_of(fd, SYS_getpeername, &peer, &peer_size) == 0;
	int has_own = address_of(fd, SYS_getsockname, &own, &own_size) == 0;

	if (!has_peer && !has_own)
		return -1;
	if (has_peer)
		put_address(name, fd, &peer, peer_size);
	else
		put_address(name, fd, &own, own_size);
	if ((has_peer ? peer : own).any.sa_family == AF_UNIX) {
		put_unix_end(name, fd, has_peer);
	} else if (has_peer && has_own && peer.any.sa_family == own.any.sa_family &&
	           is_here(&peer, &own)) {
		name->is_end = 1;
		put_address(name, fd, &own, own_size);
	}
	return 0;
}

/* ---- descriptors ---- */

static enum fmt_file_type type_of(mode_t mode)
{
	if (S_ISREG(mode))
		return FMT_file_type_REGULAR;
	if (S_ISDIR(mode))
		return FMT_file_type_DIRECTORY;
	if (S_ISCHR(mode) || S_ISBLK(mode))
		return FMT_file_type_DEVICE;
	if (S_ISFIFO(mode))
		return FMT_file_type_PIPE;
	return S_ISSOCK(mode) ? FMT_file_type_SOCKET : FMT_file_type_OTHER;
}

/* Append what /proc says about the descriptor: a path, pipe:[inode], socket:[inode],
 * anon_inode:name. */
static void put_link(struct io_name *name, int fd)
{
	struct io_name path;
	long size;

	begin(&path);
	put_text(&path, "/proc/self/fd/", IO_NAME_SIZE);
	put_number(&path, (unsigned)fd);
	size = SYS4(SYS_readlinkat, AT_FDCWD, path.text, name->text, IO_NAME_SIZE);
	name->header.name_size = size > 0 ? (uint16_t)size : 0;
}

int io_name_describe(struct io_name *name, int fd)
{
	struct stat status;
	struct statfs system;
	enum fmt_file_type type;

	if (sys_fstat(fd, &status) < 0)
		return -1;
	begin(name);
	type = type_of(status.st_mode);
	name->header.type = (uint8_t)type;
	if (type == FMT_file_type_SOCKET && describe_socket(name, fd) == 0)
		return 0;
	put_link(name, fd);
	if (type != FMT_file_type_SOCKET && type != FMT_file_type_PIPE &&
	    SYS2(SYS_fstatfs, fd, &system) == 0)
		name->header.file_system = (uint32_t)system.f_type;
	return 0;
}

int io_name_describe_unnamed(struct io_name *name, int fd)
{
	struct stat status;

	if (sys_fstat(fd, &status) < 0 || !S_ISSOCK(status.st_mode))
		return -1;
	begin(name);
	name->header.type = FMT_file_type_SOCKET;
	put_text(name, "socket:[", IO_NAME_SIZE);
	put_number(name, status.st_ino);
	put_char(name, ']');
	return 0;
}

void io_name_put_end(struct io_name *name, const struct io_name *end)
{
	name->is_end = 1;
	for (unsigned i = 0; i < end->header.name_size; i++)
		put_char(name, end->text[i]);
}
