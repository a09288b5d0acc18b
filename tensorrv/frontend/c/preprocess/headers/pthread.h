#ifndef _PTHREAD_H
#define _PTHREAD_H
#include <time.h>
typedef unsigned long pthread_t;
typedef int pthread_once_t;
typedef unsigned int pthread_key_t;
typedef volatile int pthread_spinlock_t;
typedef struct __pthread_attr pthread_attr_t;
typedef struct __pthread_mutex pthread_mutex_t;
typedef struct __pthread_mutexattr pthread_mutexattr_t;
typedef struct __pthread_cond pthread_cond_t;
typedef struct __pthread_condattr pthread_condattr_t;
typedef struct __pthread_rwlock pthread_rwlock_t;
typedef struct __pthread_barrier pthread_barrier_t;
typedef struct __pthread_barrierattr pthread_barrierattr_t;
#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1
#define PTHREAD_SCOPE_SYSTEM 0
#define PTHREAD_SCOPE_PROCESS 1
#define PTHREAD_BARRIER_SERIAL_THREAD (-1)
#define PTHREAD_ONCE_INIT 0
int pthread_create(pthread_t *restrict, const pthread_attr_t *restrict, void *(*)(void *), void *restrict);
int pthread_join(pthread_t, void **), pthread_detach(pthread_t), pthread_equal(pthread_t, pthread_t);
pthread_t pthread_self(void);
void pthread_exit(void *);
int pthread_attr_init(pthread_attr_t *), pthread_attr_destroy(pthread_attr_t *), pthread_attr_setdetachstate(pthread_attr_t *, int);
int pthread_attr_setscope(pthread_attr_t *, int), pthread_attr_setstacksize(pthread_attr_t *, size_t);
int pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *), pthread_mutex_destroy(pthread_mutex_t *);
int pthread_mutex_lock(pthread_mutex_t *), pthread_mutex_trylock(pthread_mutex_t *), pthread_mutex_unlock(pthread_mutex_t *);
int pthread_cond_init(pthread_cond_t *restrict, const pthread_condattr_t *restrict), pthread_cond_destroy(pthread_cond_t *);
int pthread_cond_wait(pthread_cond_t *restrict, pthread_mutex_t *restrict), pthread_cond_signal(pthread_cond_t *);
int pthread_cond_broadcast(pthread_cond_t *);
int pthread_barrier_init(pthread_barrier_t *restrict, const pthread_barrierattr_t *restrict, unsigned int);
int pthread_barrier_wait(pthread_barrier_t *), pthread_barrier_destroy(pthread_barrier_t *);
int pthread_key_create(pthread_key_t *, void (*)(void *)), pthread_setspecific(pthread_key_t, const void *);
void *pthread_getspecific(pthread_key_t);
int pthread_once(pthread_once_t *, void (*)(void));
#endif
