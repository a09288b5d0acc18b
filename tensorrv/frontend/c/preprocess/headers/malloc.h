#ifndef _MALLOC_H
#define _MALLOC_H
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
void *memalign(size_t, size_t), *valloc(size_t), *pvalloc(size_t);
size_t malloc_usable_size(void *);
int mallopt(int, int), malloc_trim(size_t);
#endif
