#ifndef _STDLIB_H
#define _STDLIB_H
#include <alloca.h>
#include <stddef.h>
#include <sys/types.h>
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
int atexit(void (*)(void)), setenv(const char *, const char *, int), mkstemp(char *), rand_r(unsigned *);
long long atoll(const char *), strtoll(const char *, char **, int);
unsigned long long strtoull(const char *, char **, int);
float strtof(const char *, char **);
long random(void), lrand48(void), mrand48(void);
void srandom(unsigned), _Exit(int);
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
div_t div(int, int);
ldiv_t ldiv(long, long);
double erand48(unsigned short[3]);
double drand48(void);
void srand48(long);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
#endif
