/* The second derivatives of elastic tets as entries, in the order of lil_tets_entries. */
#ifndef LIL_TERMS_TET_SECOND_H
#define LIL_TERMS_TET_SECOND_H

#include "terms/tets.h"

void lil_tets_second(const lil_tets *tets, lil_threads *threads, const double *q, bool definite, double *values);

#endif
