/* Any bytes as gmsh's .msh. */
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_mesh("msh", data, size, NULL, 0);
}
