/* logappend.c: appends to log.xml as the recorder does, once the recorder has closed it. */
#include "experiment/archive/logappend.h"

#include "format/layout.h"
#include "format/xml.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the closing tag stands, or -errno. */
static off_t find_end(int fd)
{
	char tail[2 * XML_PAGE];
	struct stat st;
	off_t start;
	ssize_t size;
	long end;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return -EBADMSG;
	start = st.st_size > (off_t)sizeof(tail) ? st.st_size - (off_t)sizeof(tail) : 0;
	size = pread(fd, tail, sizeof(tail), start);
	end = size < 0 ? -EIO : xml_end_find(tail, (size_t)size, FMT_LOG_CLOSE);
	return end < 0 ? end : start + end;
}

static int append(int fd, const struct xml_text *element)
{
	struct xml_append plan;
	off_t end = find_end(fd);

	if (end < 0 ||
	    xml_append_plan(&plan, (uint64_t)end, element->at, element->len, FMT_LOG_CLOSE) != 0)
		return -EBADMSG;
	for (size_t i = 0; i < plan.count; i++)
		if (pwrite(fd, plan.write[i].bytes, plan.write[i].len, (off_t)plan.write[i].at) !=
		    (ssize_t)plan.write[i].len)
			return -EIO;
	return 0;
}

int exp_log_append_warning(const struct experiment *experiment, const char *text)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char buffer[3000];
	struct xml_text element = XML_TEXT(buffer);
	int fd = openat(experiment->directory, FMT_FILE_LOG,
	                O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int rc = fd < 0 ? -errno : 0;

	xml_put(&element, " <event kind=\"warning\"");
	xml_put_string(&element, "text", text);
	xml_put(&element, "/>\n");
	if (rc == 0 && fcntl(fd, F_OFD_SETLK, &lock) != 0)
		rc = -errno;
	if (rc == 0)
		rc = element.overflow ? -E2BIG : append(fd, &element);
	if (fd >= 0)
		close(fd);
	return rc;
}
