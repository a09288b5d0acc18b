#ifndef _OMP_H
#define _OMP_H
typedef struct __omp_lock omp_lock_t;
typedef struct __omp_nest_lock omp_nest_lock_t;
typedef enum { omp_sched_static = 1, omp_sched_dynamic, omp_sched_guided, omp_sched_auto } omp_sched_t;
int omp_get_max_threads(void), omp_get_num_threads(void), omp_get_thread_num(void), omp_get_num_procs(void), omp_in_parallel(void);
int omp_get_dynamic(void), omp_get_nested(void), omp_get_level(void), omp_get_num_devices(void), omp_is_initial_device(void);
int omp_get_thread_limit(void), omp_get_team_num(void), omp_get_num_teams(void), omp_test_lock(omp_lock_t *);
void omp_set_num_threads(int), omp_set_dynamic(int), omp_set_nested(int), omp_set_schedule(omp_sched_t, int);
void omp_init_lock(omp_lock_t *), omp_destroy_lock(omp_lock_t *), omp_set_lock(omp_lock_t *), omp_unset_lock(omp_lock_t *);
double omp_get_wtime(void), omp_get_wtick(void);
#endif
