/* Any bytes as VTK's legacy .vtk. */
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_mesh("vtk", data, size, NULL, 0);
}
