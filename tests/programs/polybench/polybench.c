#include <stdio.h>
#include <stdlib.h>
#include "polybench.h"

void *polybench_alloc(unsigned long n, int size)
{
    void *result = NULL;
    if (posix_memalign(&result, 4096, n * size) || !result) {
        fprintf(stderr, "[PolyBench] posix_memalign: cannot allocate memory");
        exit(1);
    }
    return result;
}
