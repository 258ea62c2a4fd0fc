/* viewer.c: the viewer of report pages, which make puts together from analyzer/page/viewer/ (see
 * build.mk and analyzer/page/viewer/bundle). */
#include "analyzer/page/page.h"

__asm__(".pushsection .rodata, \"a\", @progbits\n"
        ".globl page_viewer, page_viewer_end\n"
        "page_viewer: .incbin \"" XER_VIEWER "\"\n"
        "page_viewer_end: .byte 0\n"
        ".popsection\n");
