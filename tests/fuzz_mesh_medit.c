/* Any bytes as medit's .mesh. */
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_mesh("mesh", data, size, NULL, 0);
}
