/*
 * Writing a page: the viewer's HTML, blocks of numbers as base64, and a header in JSON that says what they are.
 * Written as PATH.part and renamed, so that no incomplete page is ever visible; memory does not grow with the page.
 */
#ifndef LIL_RECORD_PAGE_PAGE_H
#define LIL_RECORD_PAGE_PAGE_H

#include "core/file.h"
#include "core/text.h"

enum { LIL_PAGE_BUFFER = 3 << 14 }; /* a multiple of 3: what base64 encodes without padding */

typedef struct lil_page {
    lil_context *ctx;
    lil_new_file to;
    FILE *file;
    char *text; /* of a page in memory */
    size_t size;
    int blocks;
    size_t buffered;
    unsigned char buffer[LIL_PAGE_BUFFER];
    lil_text header; /* JSON; what could end a script is escaped when it is written */
} lil_page;

/* path: NULL: in memory. live: it may ask where it came from for more. */
lil_status lil_page_open(lil_context *ctx, const char *path, bool replace, bool live, lil_page *page);

/* Blocks are numbered from 0; numbers in them are little-endian. */
int lil_page_begin(lil_page *page);
void lil_page_u8(lil_page *page, unsigned x);
void lil_page_u16(lil_page *page, unsigned x);
void lil_page_u32(lil_page *page, unsigned x);
void lil_page_f32(lil_page *page, double x);
void lil_page_f64(lil_page *page, double x);
void lil_page_end(lil_page *page);

/* Writes the header and the rest, and gives the page its name; one in memory is `text`, to be freed. */
lil_status lil_page_finish(lil_page *page);
/* After all of this; a page that is not finished is removed. */
void lil_page_close(lil_page *page);

#endif
