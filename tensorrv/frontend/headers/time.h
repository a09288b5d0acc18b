#ifndef _TIME_H
#define _TIME_H
#include <stddef.h>
#define CLOCKS_PER_SEC 1000000L
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
typedef long clock_t, time_t;
typedef int clockid_t;
struct timespec { time_t tv_sec; long tv_nsec; };
struct tm;
clock_t clock(void);
time_t time(time_t *);
double difftime(time_t, time_t);
int clock_gettime(clockid_t, struct timespec *);
#endif
