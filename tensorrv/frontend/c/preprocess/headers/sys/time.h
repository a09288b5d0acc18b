#ifndef _SYS_TIME_H
#define _SYS_TIME_H
#include <sys/types.h>
#include <time.h>
struct timeval { time_t tv_sec; suseconds_t tv_usec; };
struct timezone { int tz_minuteswest, tz_dsttime; };
struct itimerval { struct timeval it_interval, it_value; };
#define ITIMER_REAL 0
#define ITIMER_VIRTUAL 1
#define ITIMER_PROF 2
#define timerclear(t) ((t)->tv_sec = (t)->tv_usec = 0)
#define timerisset(t) ((t)->tv_sec || (t)->tv_usec)
int gettimeofday(struct timeval *restrict, void *restrict), settimeofday(const struct timeval *, const struct timezone *);
int setitimer(int, const struct itimerval *restrict, struct itimerval *restrict), getitimer(int, struct itimerval *);
int utimes(const char *, const struct timeval[2]);
#endif
