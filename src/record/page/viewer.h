/* The page that reports are written into, built from viewer/ by esbuild and generated as a C array
 * (cmake/viewer.cmake). */
#ifndef LIL_RECORD_PAGE_VIEWER_H
#define LIL_RECORD_PAGE_VIEWER_H

#include <stddef.h>

/* HTML with LIL_VIEWER_MARK where a report's data belong. Size 0: it was built without npm. */
extern const unsigned char lil_viewer_page[];
extern const size_t lil_viewer_page_size;

#define LIL_VIEWER_MARK "<!--lilyan:data-->"

#endif
