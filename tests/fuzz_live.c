/* Any bytes as a request to the server of live pages, whole and in pieces: the answer is the same, and only a request with the
 * secret gets a page. */
#include "live.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char secret[] = "0123456789abcdef0123456789abcdef";
    int64_t frames, many = 0;
    if (size > LIVE_REQUEST_MAX)
        return 0;
    char *text = malloc(size + 1); /* of no more bytes than there are */
    assert(text);
    if (size)
        memcpy(text, data, size);
    text = realloc(text, size ? size : 1);
    assert(text);
    live_answer whole = live_read_request(text, size, secret, 8080, &frames), first = LIVE_INCOMPLETE;
    assert(frames >= 0);
    if (whole == LIVE_PAGE || whole == LIVE_FRAMES || whole == LIVE_END) {
        size_t at = 0;
        while (at + LIVE_SECRET <= size && memcmp(text + at, secret, LIVE_SECRET) != 0)
            at++;
        assert(at + LIVE_SECRET <= size);
    }
    for (size_t i = 0; i <= size && first == LIVE_INCOMPLETE; i += 1 + size / 64)
        first = live_read_request(text, i, secret, 8080, &many);
    assert(first == LIVE_INCOMPLETE ||
           (first == whole && many == frames)); /* what follows the head changes nothing */
    free(text);
    return 0;
}
