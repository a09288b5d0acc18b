#ifndef _STDLIB_H
#define _STDLIB_H
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
int abs(int);
long labs(long);
long long llabs(long long);
void *malloc(size_t), *calloc(size_t, size_t), *realloc(void *, size_t), *aligned_alloc(size_t, size_t);
int posix_memalign(void **, size_t, size_t);
void free(void *), exit(int), abort(void), srand(unsigned);
int rand(void), atoi(const char *), system(const char *);
long atol(const char *), strtol(const char *, char **, int);
unsigned long strtoul(const char *, char **, int);
double atof(const char *), strtod(const char *, char **);
char *getenv(const char *);
double drand48(void);
void srand48(long);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
#endif
