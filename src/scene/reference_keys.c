/* What the page and the schema say about keys. */
#include "scene/reference.h"

const char lil_reference_keys[] =
    "In order of time, each on a frame of the shot. Keys should be at most half a period apart.\n\n"
    "Of a text Lagrangian or particles, `q` has all coordinates in the order of `start`, or of particles three\n"
    "a vertex (rows of three may stand in brackets of their own); a map `{x: 1}` holds those it names and leaves "
    "the\n"
    "others free. `velocity` is given where it matters, in the same order.\n\n"
    "```yaml\n"
    "keys:\n"
    "  - {at: 0, q: [1], velocity: [0]}\n"
    "  - {at: 6*pi, q: [8], velocity: [0]}\n"
    "```\n\n"
    "Of bodies and particles, a key has one or more of\n\n"
    "| | |\n"
    "|---|---|\n"
    "| `pose` | `rest`, or a map: `position` (three expressions of the place `x`, `y`, `z` at rest) or `file`, then "
    "`scale` (one "
    "number or three), `rotate` (degrees about x, then y, then z) about the centre of mass at rest, `translate`. Of "
    "several bodies: a map of their names to poses |\n"
    "| `points` | a map of groups (`tip`, or `bar.tip` where several bodies have one) to places `[x, y, z]`: the "
    "group's vertices stand to each other as at rest, and "
    "their "
    "mean is there; "
    "`{at: [x, y, z], rotate: [x, y, z]}` turns them too. A coordinate may be `free`. All other vertices are free |\n"
    "| `file` | the same as `pose: {file: ...}`: a surface or a mesh with the body's vertices in their order, or "
    "with "
    "those of the "
    "`surface` that the body fills, to which tets are then fitted, with weights that make up for what these miss; in "
    "the "
    "file's coordinates, placed as the body is "
    "|\n"
    "| `frame` | `{file: OUT.h5, t: 1.2}`: where everything is at that time of another run of the same bodies |\n\n"
    "`velocity` is `0`, `[x, y, z]`, of a frame `frame`, or a map of all bodies to these; without it the velocity is "
    "free. "
    "It needs a pose\n"
    "of everything. With a `weight` (1/s^3) a key is soft: it may be missed, by what that costs; hard keys are met. "
    "Between keys\n"
    "a body turns the shorter way: for more than half a turn give a key on the way. A shot of bodies may have a "
    "`start` "
    "in `shot`, the\n"
    "file of an earlier run, whose frames it begins with.\n\n"
    "```yaml\n"
    "keys:\n"
    "  - {at: 0, pose: rest, velocity: 0}\n"
    "  - {at: 1, points: {tip: [0, 0, 2]}}\n"
    "  - {at: 2, file: poses/two.obj, weight: 100}\n"
    "  - {at: 3, pose: {rotate: [0, 90, 0], translate: [1, 0, 0]}}\n"
    "```\n";

#define NUMBER LIL_SCHEMA_NUMBER
#define NUMBERS LIL_SCHEMA_NUMBERS
#define ROWS                                                                                                         \
    "{\"anyOf\": [" NUMBERS ", {\"type\": \"array\", \"items\": {\"type\": \"array\", \"items\": " NUMBER "}}]}"
#define MAP_OF(x) "{\"type\": \"object\", \"additionalProperties\": " x "}"
#define TEXT "{\"type\": \"string\"}"
#define THREE "{\"type\": \"array\", \"minItems\": 3, \"maxItems\": 3, \"items\": " NUMBER "}"
#define POSE                                                                                                         \
    "{\"anyOf\": [{\"const\": \"rest\"}, {\"type\": \"object\", \"additionalProperties\": false, \"properties\": "   \
    "{\"position\": " THREE ", \"file\": " TEXT ", \"scale\": " NUMBERS ", \"rotate\": " THREE                       \
    ", \"translate\": " THREE "}}]}"
#define POINT                                                                                                        \
    "{\"anyOf\": [" THREE ", {\"type\": \"object\", \"additionalProperties\": false, \"required\": [\"at\"], "       \
    "\"properties\": {\"at\": " THREE ", \"rotate\": " THREE "}}]}"

const char lil_schema_keys[] =
    "{\"type\": \"array\", \"minItems\": 2, \"items\": {\"type\": \"object\", \"additionalProperties\": false, "
    "\"required\": "
    "[\"at\"], \"anyOf\": [{\"required\": [\"q\"]}, {\"required\": [\"pose\"]}, {\"required\": [\"points\"]}, "
    "{\"required\": [\"file\"]}, {\"required\": [\"frame\"]}],\n"
    "   \"properties\": {\"at\": " NUMBER ", \"q\": {\"anyOf\": [" ROWS
    ", " MAP_OF(NUMBERS) "]}, \"velocity\": {\"anyOf\": [" ROWS ", " MAP_OF(
        NUMBERS) "]}, \"weight\": " NUMBER ",\n   \"pose\": {\"anyOf\": [" POSE
                 ", " MAP_OF(POSE) "]},\n   \"points\": " MAP_OF(
                     POINT) ", \"file\": " TEXT ", \"frame\": {\"type\": \"object\", \"additionalProperties\": "
                            "false, \"required\": [\"file\", \"t\"], \"properties\": {\"file\": " TEXT
                            ", \"t\": " NUMBER "}}}}}";
