/* HDF5 prints its errors by itself; the library never prints. Between begin and end it is quiet in this thread. */
#ifndef LIL_RECORD_QUIET_H
#define LIL_RECORD_QUIET_H

#include <hdf5.h>

typedef struct lil_quiet {
    H5E_auto2_t print;
    void *data;
} lil_quiet;

static inline lil_quiet lil_quiet_begin(void)
{
    lil_quiet quiet = { NULL, NULL };
    /* what HDF5 cannot close, of a damaged file or on a full disk, it complains about when the program ends. Without
     * effect where the program itself has begun to use HDF5 before. */
    H5dont_atexit();
    H5Eget_auto2(H5E_DEFAULT, &quiet.print, &quiet.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return quiet;
}

static inline void lil_quiet_end(lil_quiet quiet)
{
    H5Eset_auto2(H5E_DEFAULT, quiet.print, quiet.data);
}

#endif
