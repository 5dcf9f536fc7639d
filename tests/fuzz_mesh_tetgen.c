/* Any bytes as tetgen's .node and .ele: a line of ---- stands between them. */
#include "fuzz_mesh.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 5 <= size; i++)
        if (memcmp(data + i, "----\n", 5) == 0)
            return fuzz_mesh("node", data, i, data + i + 5, size - i - 5);
    return fuzz_mesh("node", data, size, NULL, 0);
}
