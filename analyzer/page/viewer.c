/* viewer.c: the viewer of report pages, which make puts together from analyzer/page/viewer/ (see
 * build.mk and analyzer/page/viewer/bundle). */
#include "analyzer/page/page.h"

#ifndef XER_VIEWER /* analysers do not know it */
#define XER_VIEWER "/dev/null"
#endif

__asm__(".pushsection .rodata, \"a\", @progbits\n"
        ".globl page_viewer, page_viewer_size\n"
        "page_viewer: .incbin \"" XER_VIEWER "\"\n"
        "1: .balign 8\n"
        "page_viewer_size: .quad 1b - page_viewer\n"
        ".popsection\n");
