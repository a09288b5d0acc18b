/* The forms of TSVC: file-scope arrays, a loop of repetitions with an opaque call in it, and a checksum for each kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#define LEN_1D 3200
#define LEN_2D 64
#define ARRAY_ALIGNMENT 64
typedef float real_t;
extern __attribute__((aligned(ARRAY_ALIGNMENT))) real_t flat_2d_array[LEN_2D * LEN_2D];
__attribute__((aligned(ARRAY_ALIGNMENT))) real_t flat_2d_array[LEN_2D * LEN_2D], a[LEN_1D], b[LEN_1D], c[LEN_1D], d[LEN_1D];
__attribute__((aligned(ARRAY_ALIGNMENT))) real_t aa[LEN_2D][LEN_2D], bb[LEN_2D][LEN_2D], cc[LEN_2D][LEN_2D];
__attribute__((aligned(ARRAY_ALIGNMENT))) int indx[LEN_1D];
static int iterations = 4;

struct args_t {
    struct timeval t1, t2;
    void *__restrict__ arg_info;
};
typedef real_t (*test_function_t)(struct args_t *);

int dummy(real_t *, real_t *, real_t *, real_t *, real_t[LEN_2D][LEN_2D], real_t[LEN_2D][LEN_2D], real_t[LEN_2D][LEN_2D], real_t);

static void initialise(void)
{
    for (int i = 0; i < LEN_1D; i++) {
        a[i] = 1.f / (i + 1);
        b[i] = 1 + (i % 7);
        c[i] = 0.5f * i;
        d[i] = i % 2 ? -1.f : 1.f;
        indx[i] = (i * 17) % LEN_1D;
    }
    for (int i = 0; i < LEN_2D; i++)
        for (int j = 0; j < LEN_2D; j++) {
            aa[i][j] = i + j;
            bb[i][j] = i - 2 * j;
            cc[i][j] = 1.f / (i + j + 1);
        }
}

static real_t checksum(void)
{
    real_t sum = 0;
    for (int i = 0; i < LEN_1D; i++)
        sum += a[i] + b[i];
    for (int i = 0; i < LEN_2D; i++)
        for (int j = 0; j < LEN_2D; j++)
            sum += aa[i][j];
    return sum;
}

real_t s000(struct args_t *func_args)
{
    initialise();
    gettimeofday(&func_args->t1, NULL);
    for (int nl = 0; nl < 2 * iterations; nl++) {
        for (int i = 0; i < LEN_1D; i++)
            a[i] = b[i] + 1;
        dummy(a, b, c, d, aa, bb, cc, 0.);
    }
    gettimeofday(&func_args->t2, NULL);
    return checksum();
}

real_t s115(struct args_t *func_args)
{
    initialise();
    for (int nl = 0; nl < iterations; nl++) {
        for (int j = 0; j < LEN_2D; j++)
            for (int i = j + 1; i < LEN_2D; i++)
                a[i] -= aa[j][i] * a[j];
        dummy(a, b, c, d, aa, bb, cc, 0.);
    }
    return checksum();
}

real_t s162(struct args_t *func_args)
{
    int k = *(int *)func_args->arg_info;
    initialise();
    for (int nl = 0; nl < iterations; nl++) {
        if (k > 0)
            for (int i = 0; i < LEN_1D - 1; i++)
                a[i] = a[i + k] + b[i] * c[i];
        dummy(a, b, c, d, aa, bb, cc, 0.);
    }
    return checksum();
}

real_t s235(struct args_t *func_args)
{
    initialise();
    for (int nl = 0; nl < iterations; nl++) {
        for (int i = 0; i < LEN_2D; i++) {
            a[i] += b[i] * c[i];
            for (int j = 1; j < LEN_2D; j++)
                aa[j][i] = aa[j - 1][i] + bb[j][i] * a[i];
        }
        dummy(a, b, c, d, aa, bb, cc, 0.);
    }
    return checksum();
}

real_t s271(struct args_t *func_args)
{
    initialise();
    for (int nl = 0; nl < iterations; nl++) {
        for (int i = 0; i < LEN_1D; i++)
            if (d[i] > (real_t)0.)
                a[i] += b[i] * c[i];
        dummy(a, b, c, d, aa, bb, cc, 0.);
    }
    return checksum();
}

real_t s332(struct args_t *func_args)
{
    int index = -2;
    real_t value = -1;
    initialise();
    for (int nl = 0; nl < iterations; nl++) {
        index = -2;
        value = -1.;
        for (int i = 0; i < LEN_1D; i++)
            if (c[i] > 100) {
                index = i;
                value = c[i];
                goto L20;
            }
L20:
        dummy(a, b, c, d, aa, bb, cc, value + index);
    }
    return value + (real_t)index;
}

real_t vag(struct args_t *func_args)
{
    int *__restrict__ ip = func_args->arg_info;
    initialise();
    for (int nl = 0; nl < iterations; nl++) {
        for (int i = 0; i < LEN_1D; i++)
            a[i] = b[ip[i]];
        dummy(a, b, c, d, aa, bb, cc, 0.);
    }
    return checksum();
}

static void time_function(const char *name, test_function_t vector_func, void *arg_info)
{
    struct args_t func_args = {.arg_info = arg_info};
    double result = vector_func(&func_args);
    printf("%10s\t%f\n", name, result);
}

int main(void)
{
    int one = 1;
    time_function("s000", &s000, NULL);
    time_function("s115", &s115, NULL);
    time_function("s162", &s162, &one);
    time_function("s235", &s235, NULL);
    time_function("s271", &s271, NULL);
    time_function("s332", &s332, NULL);
    time_function("vag", &vag, indx);
    puts("VERIFICATION SUCCESSFUL");
    return 0;
}
