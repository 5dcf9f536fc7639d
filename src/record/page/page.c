#define _GNU_SOURCE /* memmem, open_memstream */
#include "record/page/page.h"

#include "record/page/viewer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Where the template is cut: before and after the mark. */
static const unsigned char *find_mark(void)
{
    return lil_viewer_page_size
               ? memmem(lil_viewer_page, lil_viewer_page_size, LIL_VIEWER_MARK, strlen(LIL_VIEWER_MARK))
               : NULL;
}

/* What stands before the data. A live page may ask where it came from; all others may ask nobody. */
static void write_beginning(const lil_page *page, const unsigned char *mark, bool live)
{
    static const char policy[] = "default-src 'none';";
    size_t before = (size_t)(mark - lil_viewer_page);
    const unsigned char *here = live ? memmem(lil_viewer_page, before, policy, strlen(policy)) : NULL;
    size_t first = here ? (size_t)(here - lil_viewer_page) + strlen(policy) : before;
    fwrite(lil_viewer_page, 1, first, page->file);
    if (here)
        fputs(" connect-src 'self';", page->file);
    fwrite(lil_viewer_page + first, 1, before - first, page->file);
}

lil_status lil_page_open(lil_context *ctx, const char *path, bool replace, bool live, lil_page *page)
{
    const unsigned char *mark = find_mark();
    page->to = (lil_new_file){ 0 };
    page->text = NULL;
    page->size = 0;
    page->ctx = ctx;
    page->file = NULL;
    page->blocks = 0;
    page->buffered = 0;
    page->header = (lil_text){ 0 };
    if (!mark)
        return lil_fail(ctx, LIL_ERR_FILE,
                        "this Lilyan was built without its pages: install npm, then run make again");
    lil_status status = path ? lil_new_file_begin(ctx, path, replace, false, &page->to) : LIL_OK;
    if (status == LIL_OK) {
        page->file = path ? fopen(page->to.part, "wb") : open_memstream(&page->text, &page->size);
        if (!page->file)
            status = path ? lil_new_file_fail(&page->to) : lil_fail_memory(ctx);
    }
    if (status == LIL_OK)
        write_beginning(page, mark, live);
    else
        lil_page_close(page);
    return status;
}

/* ---- blocks ---- */

static void flush(lil_page *page)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char out[LIL_PAGE_BUFFER / 3 * 4], *to = out;
    const unsigned char *from = page->buffer;
    size_t left = page->buffered;
    for (; left >= 3; left -= 3, from += 3) {
        unsigned x = (unsigned)from[0] << 16 | (unsigned)from[1] << 8 | from[2];
        *to++ = digits[x >> 18];
        *to++ = digits[x >> 12 & 63];
        *to++ = digits[x >> 6 & 63];
        *to++ = digits[x & 63];
    }
    if (left) { /* only at a block's end: the buffer holds a multiple of 3 */
        unsigned x = (unsigned)from[0] << 16 | (left == 2 ? (unsigned)from[1] << 8 : 0);
        *to++ = digits[x >> 18];
        *to++ = digits[x >> 12 & 63];
        *to++ = left == 2 ? digits[x >> 6 & 63] : '=';
        *to++ = '=';
    }
    fwrite(out, 1, (size_t)(to - out), page->file); /* asked about at the end */
    page->buffered = 0;
}

static void put(lil_page *page, uint64_t x, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        page->buffer[page->buffered++] = (unsigned char)(x >> 8 * i);
        if (page->buffered == sizeof page->buffer)
            flush(page);
    }
}

int lil_page_begin(lil_page *page)
{
    fprintf(page->file, "<script type=\"text/plain\" id=\"lilyan-%d\">", page->blocks);
    return page->blocks++;
}

void lil_page_u8(lil_page *page, unsigned x)
{
    put(page, x, 1);
}

void lil_page_u16(lil_page *page, unsigned x)
{
    put(page, x, 2);
}

void lil_page_u32(lil_page *page, unsigned x)
{
    put(page, x, 4);
}

void lil_page_f32(lil_page *page, double x)
{
    float value = (float)x;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(page, bits, 4);
}

void lil_page_f64(lil_page *page, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    put(page, bits, 8);
}

void lil_page_end(lil_page *page)
{
    flush(page);
    fputs("</script>\n", page->file);
}

/* ---- finish ---- */

/* In JSON these occur only in strings, where they may be written as numbers: no name can end the script. */
static void write_header(lil_page *page)
{
    fputs("<script type=\"application/json\" id=\"lilyan\">", page->file);
    for (const char *c = page->header.data; c && *c; c++)
        if (*c == '<' || *c == '>' || *c == '&')
            fprintf(page->file, "\\u%04x", (unsigned)*c);
        else
            fputc(*c, page->file);
    fputs("</script>\n", page->file);
}

lil_status lil_page_finish(lil_page *page)
{
    if (page->header.failed)
        return lil_fail_memory(page->ctx);
    write_header(page);
    const unsigned char *rest = find_mark() + strlen(LIL_VIEWER_MARK);
    fwrite(rest, 1, lil_viewer_page_size - (size_t)(rest - lil_viewer_page), page->file);
    bool ok = fflush(page->file) == 0 && !ferror(page->file);
    int error = errno;
    if (fclose(page->file) != 0 && ok) {
        ok = false;
        error = errno;
    }
    page->file = NULL;
    errno = error;
    if (!page->to.part)
        return ok ? LIL_OK : lil_fail_memory(page->ctx);
    return ok ? lil_new_file_name(&page->to) : lil_new_file_fail(&page->to);
}

void lil_page_close(lil_page *page)
{
    if (page->file)
        fclose(page->file);
    page->file = NULL;
    lil_new_file_end(&page->to);
    lil_text_free(&page->header);
}
