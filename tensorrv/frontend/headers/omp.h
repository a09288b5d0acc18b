#ifndef _OMP_H
#define _OMP_H
int omp_get_max_threads(void), omp_get_num_threads(void), omp_get_thread_num(void);
void omp_set_num_threads(int);
double omp_get_wtime(void);
#endif
