/* The locations of faults of a shot: line and column of a scene, or from C the path of a def's member. */
#include "keyframes/shot.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void find_path(lil_shot_place at, char *text, size_t size)
{
    char key[32] = "", member[64] = "", index[16] = "";
    if (at.key >= 0)
        snprintf(key, sizeof key, "keys[%d]%s", at.key, at.member ? "." : "");
    else if (at.member && strcmp(at.member, "keys") != 0)
        snprintf(key, sizeof key, "def.");
    if (at.member)
        snprintf(member, sizeof member, "%.*s", (int)strcspn(at.member, ":"), at.member);
    if (at.index >= 0)
        snprintf(index, sizeof index, "[%d]", at.index);
    snprintf(text, size, "%s%s%s: ", key, member, index);
}

static void find(const lil_shot_places *places, lil_shot_place at, char text[LIL_PLACE_MAX])
{
    if (places->find)
        places->find(places->user, at, text, LIL_PLACE_MAX);
    else
        find_path(at, text, LIL_PLACE_MAX);
}

lil_status lil_shot_refuse(lil_context *ctx, const lil_shot_places *places, lil_shot_place at, lil_status status,
                           const char *format, ...)
{
    char sentence[LIL_MESSAGE_MAX], place[LIL_PLACE_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    find(places, at, place);
    return lil_fail(ctx, status, "%s%.760s", place, sentence);
}

lil_status lil_shot_put_place(lil_context *ctx, const lil_shot_places *places, lil_shot_place at, lil_status status)
{
    if (status == LIL_OK || status == LIL_ERR_MEMORY)
        return status;
    return lil_shot_refuse(ctx, places, at, status, "%s", ctx->message);
}

const char *lil_shot_keep_place(lil_shot *shot, lil_shot_place at)
{
    char place[LIL_PLACE_MAX];
    find(&shot->places, at, place);
    return lil_arena_format(&shot->arena, "%s", place);
}
