/* Wrappers of streams: the bytes that the program reads and writes, and what a failure was. */
#include "libcollector/io/io_files.h"
#include "libcollector/io/io_record.h"

#include "tests/unit/libcollector/io/calls.h"
#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#undef fread_unlocked
#undef fwrite_unlocked
#undef getc
#undef putc
#define WRAPPED(name) extern __typeof__(name) wrapped_##name
WRAPPED(fopen);
WRAPPED(fopen64);
WRAPPED(freopen);
WRAPPED(freopen64);
WRAPPED(fdopen);
WRAPPED(fclose);
WRAPPED(pclose);
WRAPPED(fflush);
WRAPPED(fread);
WRAPPED(fread_unlocked);
WRAPPED(fgets);
WRAPPED(fgets_unlocked);
WRAPPED(getline);
WRAPPED(getdelim);
WRAPPED(fgetc);
WRAPPED(getc);
WRAPPED(getchar);
WRAPPED(fwrite);
WRAPPED(fwrite_unlocked);
WRAPPED(fputs);
WRAPPED(fputs_unlocked);
WRAPPED(puts);
WRAPPED(fputc);
WRAPPED(putc);
WRAPPED(putchar);
WRAPPED(vfprintf);
WRAPPED(vdprintf);
WRAPPED(printf);
WRAPPED(fprintf);
WRAPPED(dprintf);

size_t wrapped___fread_chk(void *to, size_t room, size_t size, size_t count, FILE *stream);
char *wrapped___fgets_chk(char *to, size_t room, int size, FILE *stream);
ssize_t wrapped___getdelim(char **line, size_t *size, int end, FILE *stream);
int wrapped___fprintf_chk(FILE *stream, int flag, const char *format, ...);
int wrapped___dprintf_chk(int fd, int flag, const char *format, ...);

TestSuite(io_stdio, .init = calls_setup, .fini = scratch_remove, .timeout = 30);

static FILE *stream_of(const char *text)
{
	FILE *stream = tmpfile();

	cr_assert_not_null(stream);
	fputs(text, stream);
	rewind(stream);
	return stream;
}

/* From which nothing can be read, and to which nothing can be written. */
static FILE *bad_stream(const char *mode)
{
	FILE *stream = fopen("/dev/null", *mode == 'r' ? "w" : "r");

	cr_assert_not_null(stream);
	setvbuf(stream, NULL, _IONBF, 0);
	return stream;
}

static int number(FILE *stream)
{
	return fileno(stream);
}

Test(io_stdio, items_are_read)
{
	FILE *stream = stream_of("0123456789abcdefghij");
	char to[32] = "";

	cr_expect_eq(wrapped_fread(to, 3, 2, stream), 2);
	EXPECT_CALL(FREAD, number(stream), 6, 0);
	cr_expect_eq(wrapped_fread(to + 6, 1, 4, stream), 4);
	EXPECT_CALL(FREAD, number(stream), 4, 0);
	cr_expect_eq(wrapped_fread_unlocked(to + 10, 2, 1, stream), 1);
	EXPECT_CALL(FREAD, number(stream), 2, 0);
	cr_expect_eq(wrapped_fread(to, 0, 5, stream), 0);
	EXPECT_CALL(FREAD, number(stream), 0, 0);
	cr_expect_eq(wrapped_fread(to, 5, 0, stream), 0);
	EXPECT_CALL(FREAD, number(stream), 0, 0);
	cr_expect_eq(wrapped___fread_chk(to + 12, 20, 5, 1, stream), 1);
	EXPECT_CALL(FREAD, number(stream), 5, 0);
	/* Part of an item is read, but is none. */
	cr_expect_eq(wrapped_fread(to + 17, 2, 4, stream), 1);
	EXPECT_CALL(FREAD, number(stream), 3, 0);
	cr_expect_str_eq(to, "0123456789abcdefghij");
	errno = EIO;
	cr_expect_eq(wrapped_fread(to, 2, 4, stream), 0);
	EXPECT_CALL(FREAD, number(stream), 0, 0);
	fclose(stream);
	cr_expect_eq(wrapped_fread(to, 0, 5, NULL), 0);
	EXPECT_CALL(FREAD, -1, 0, 0);
}

/* More than there can be: the library gets it as it is. */
Test(io_stdio, items_of_a_size_that_overflows)
{
	FILE *stream = stream_of("");
	char to[8];

	cr_expect_eq(wrapped_fread(to, SIZE_MAX / 2 + 1, 2, stream), 0);
	EXPECT_CALL(FREAD, number(stream), 0, 0);
	fclose(stream);
}

Test(io_stdio, a_failure_to_read_is_told)
{
	FILE *stream = bad_stream("r");
	char to[8], *line = NULL;
	size_t size = 0;

	cr_expect_eq(wrapped_fread(to, 2, 2, stream), 0);
	EXPECT_CALL(FREAD, number(stream), 0, EBADF);
	cr_expect_null(wrapped_fgets(to, 8, stream));
	EXPECT_CALL(FGETS, number(stream), 0, EBADF);
	cr_expect_eq(wrapped_getline(&line, &size, stream), -1);
	EXPECT_CALL(FGETS, number(stream), 0, EBADF);
	cr_expect_eq(wrapped_fgetc(stream), EOF);
	EXPECT_CALL(FREAD, number(stream), 0, EBADF);
	free(line);
	fclose(stream);
}

Test(io_stdio, lines_are_read)
{
	FILE *stream = stream_of("one\ntwo\nthree\nfour;five;\n");
	char to[16], *line = NULL;
	size_t size = 0;

	cr_expect_eq(wrapped_fgets(to, 16, stream), to);
	EXPECT_CALL(FGETS, number(stream), 4, 0);
	cr_expect_eq(wrapped_fgets_unlocked(to, 3, stream), to);
	EXPECT_CALL(FGETS, number(stream), 2, 0);
	cr_expect_eq(wrapped___fgets_chk(to, 16, 16, stream), to);
	EXPECT_CALL(FGETS, number(stream), 2, 0);
	cr_expect_str_eq(to, "o\n");
	cr_expect_eq(wrapped_getline(&line, &size, stream), 6);
	EXPECT_CALL(FGETS, number(stream), 6, 0);
	cr_expect_eq(wrapped_getdelim(&line, &size, ';', stream), 5);
	EXPECT_CALL(FGETS, number(stream), 5, 0);
	cr_expect_eq(wrapped___getdelim(&line, &size, ';', stream), 5);
	EXPECT_CALL(FGETS, number(stream), 5, 0);
	cr_expect_str_eq(line, "five;");
	cr_expect_eq(wrapped_fgetc(stream), '\n');
	EXPECT_CALL(FREAD, number(stream), 1, 0);
	errno = EIO;
	cr_expect_eq(wrapped_getc(stream), EOF);
	EXPECT_CALL(FREAD, number(stream), 0, 0);
	cr_expect_null(wrapped_fgets(to, 16, stream));
	EXPECT_CALL(FGETS, number(stream), 0, 0);
	cr_expect_eq(wrapped_getline(&line, &size, stream), -1);
	EXPECT_CALL(FGETS, number(stream), 0, 0);
	free(line);
	fclose(stream);
}

Test(io_stdio, text_is_written)
{
	FILE *stream = tmpfile();
	char to[64] = "";

	cr_expect_eq(wrapped_fwrite("abcdef", 3, 2, stream), 2);
	EXPECT_CALL(FWRITE, number(stream), 6, 0);
	cr_expect_eq(wrapped_fwrite_unlocked("gh", 1, 2, stream), 2);
	EXPECT_CALL(FWRITE, number(stream), 2, 0);
	cr_expect_eq(wrapped_fwrite("gh", 0, 2, stream), 0);
	EXPECT_CALL(FWRITE, number(stream), 0, 0);
	cr_expect_geq(wrapped_fputs("ij", stream), 0);
	EXPECT_CALL(FPUTS, number(stream), 2, 0);
	cr_expect_geq(wrapped_fputs_unlocked("klm", stream), 0);
	EXPECT_CALL(FPUTS, number(stream), 3, 0);
	cr_expect_eq(wrapped_fputc('n', stream), 'n');
	EXPECT_CALL(FPUTS, number(stream), 1, 0);
	cr_expect_eq(wrapped_putc('o', stream), 'o');
	EXPECT_CALL(FPUTS, number(stream), 1, 0);
	cr_expect_eq(wrapped_fprintf(stream, "%d%s", 17, "p"), 3);
	EXPECT_CALL(PRINTF, number(stream), 3, 0);
	cr_expect_eq(wrapped___fprintf_chk(stream, 1, "%s", "qr"), 2);
	EXPECT_CALL(PRINTF, number(stream), 2, 0);
	cr_expect_eq(wrapped_fflush(stream), 0);
	EXPECT_CALL(FFLUSH, number(stream), 0, 0);
	cr_expect_eq(wrapped_dprintf(number(stream), "%c", 's'), 1);
	EXPECT_CALL(PRINTF, number(stream), 1, 0);
	cr_expect_eq(wrapped___dprintf_chk(number(stream), 1, "tu"), 2);
	EXPECT_CALL(PRINTF, number(stream), 2, 0);
	cr_expect_geq(pread(number(stream), to, sizeof(to), 0), 23);
	cr_expect_str_eq(to, "abcdefghijklmno17pqrstu");
	fclose(stream);
}

Test(io_stdio, a_failure_to_write_is_told)
{
	FILE *stream = bad_stream("w");

	cr_expect_eq(wrapped_fwrite("abcdef", 3, 2, stream), 0);
	EXPECT_CALL(FWRITE, number(stream), 0, EBADF);
	cr_expect_eq(wrapped_fputs("ij", stream), EOF);
	EXPECT_CALL(FPUTS, number(stream), 0, EBADF);
	cr_expect_eq(wrapped_fputc('n', stream), EOF);
	EXPECT_CALL(FPUTS, number(stream), 0, EBADF);
	cr_expect_lt(wrapped_fprintf(stream, "%d", 17), 0);
	EXPECT_CALL(PRINTF, number(stream), 0, EBADF);
	cr_expect_eq(wrapped_dprintf(-1, "%d", 17), -1);
	EXPECT_CALL(PRINTF, -1, 0, EBADF);
	fclose(stream);
}

/* Standard input and output are those of a file meanwhile. */
Test(io_stdio, standard_streams)
{
	FILE *input = stream_of("xy"), *output = tmpfile(), *before[] = {stdin, stdout};
	char to[16] = "";

	stdin = input;
	stdout = output;
	cr_expect_eq(wrapped_getchar(), 'x');
	cr_expect_eq(wrapped_putchar('a'), 'a');
	cr_expect_geq(wrapped_puts("bcd"), 0);
	cr_expect_eq(wrapped_printf("%d", 5), 1);
	stdin = before[0];
	stdout = before[1];
	EXPECT_CALL(FREAD, number(input), 1, 0);
	EXPECT_CALL(FPUTS, number(output), 1, 0);
	EXPECT_CALL(FPUTS, number(output), 4, 0);
	EXPECT_CALL(PRINTF, number(output), 1, 0);
	fflush(output);
	cr_expect_eq(pread(number(output), to, sizeof(to), 0), 6);
	cr_expect_str_eq(to, "abcd\n5");
	fclose(input);
	fclose(output);
}

Test(io_stdio, streams_come_and_go)
{
	FILE *stream = wrapped_fopen("/dev/null", "r"), *other;
	uint32_t file;
	int fd;

	cr_assert_not_null(stream);
	EXPECT_CALL(FOPEN, number(stream), 0, 0);
	fd = number(stream);
	file = io_file_known(fd);
	cr_expect_neq(file, 0);
	cr_expect_eq(wrapped_freopen("/dev/zero", "r", stream), stream);
	EXPECT_CALL(FOPEN, number(stream), 0, 0);
	cr_expect_neq(io_file_now(number(stream)), file);
	cr_expect_eq(wrapped_freopen64("/dev/null", "r", stream), stream);
	EXPECT_CALL(FOPEN, number(stream), 0, 0);
	cr_expect_eq(io_file_now(number(stream)), file);
	cr_expect_eq(wrapped_fclose(stream), 0);
	cr_expect_eq(calls_next()->file, file, "the file that it was");
	cr_expect_eq(io_file_known(fd), 0);
	cr_expect_null(wrapped_fopen64("/none/at/all", "r"));
	EXPECT_CALL(FOPEN, -1, 0, ENOENT);
	other = wrapped_fdopen(open("/dev/null", O_RDONLY), "r");
	EXPECT_CALL(FOPEN, number(other), 0, 0);
	fclose(other);
	cr_expect_null(wrapped_fdopen(-1, "r"));
	EXPECT_CALL(FOPEN, -1, 0, EBADF);
}

/* It waits for a process, and is no input or output. */
Test(io_stdio, the_end_of_a_pipe_to_a_process_is_forgotten)
{
	FILE *stream = popen("exit 3", "r");
	int fd = number(stream), before, after;

	cr_assert_neq(io_file_now(fd), 0);
	before = calls_count();
	cr_expect_eq(wrapped_pclose(stream), 3 << 8);
	after = calls_count();
	cr_expect_eq(after, before);
	cr_expect_eq(io_file_known(fd), 0);
}
