/* The location of a text, for messages. */
#ifndef LIL_EXPR_SOURCE_H
#define LIL_EXPR_SOURCE_H

typedef struct lil_source {
    const char *text; /* the expression */
    const char *what; /* the quantity that it defines: "lagrangian", "force.theta" */
    const char *file;
    int line, column; /* of the first character, from 1; line 0: the text does not come from a file */
    int single_line;  /* columns inside the text can be counted from `column` */
} lil_source;

enum { LIL_WHERE_MAX = 256 };

/* "scene.yaml:12:9: " for the character at `offset`, or "" without a file. */
const char *lil_source_where(const lil_source *source, int offset, char out[LIL_WHERE_MAX]);

#endif
