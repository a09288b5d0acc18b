/* Calls functions with the same random arrays as their references and prints where results differ. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry { void (*ours)(); void (*reference)(); const char *types; int quiet; };
extern const struct entry entries[];
extern const int count;

enum { LENGTH = 400, ARRAYS = 11, CALLS = 4 };
static const int sizes[CALLS] = {67, 64, 3, 96};
static _Alignas(64) unsigned char start[ARRAYS][LENGTH * 8], mine[ARRAYS][LENGTH * 8], theirs[ARRAYS][LENGTH * 8];

static uint64_t state;
static uint64_t next(void)
{
    state += 0x9e3779b97f4a7c15u;
    uint64_t z = state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int bytes(char type) { return strchr("bB", type) ? 1 : strchr("hH", type) ? 2 : strchr("iIf", type) ? 4 : 8; }

static uint64_t integer(int bits)
{
    uint64_t low = next() % 4, edge = (uint64_t)1 << (bits - 1 - (next() % 3 ? 0 : next() % bits));
    switch (next() % 8) {
    case 0: return low;
    case 1: return -low - 1;
    case 2: return edge + low - 2;
    case 3: return -edge + low - 2;
    case 4: return next() >> next() % 64;
    case 5: return -(next() >> next() % 64);
    case 6: return next() % 10;
    default: return next();
    }
}

static double number(int quiet, int single)
{
    static const double few[] = {0.0, -0.0, 0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, 1.5, 2.5, -2.5, 255, 256, -128, 1e9, 0.1, 127.5};
    double x;
    uint64_t bits;
    switch (next() % 8) {
    case 0: case 1: case 2: case 3: return few[next() % (sizeof few / sizeof *few)];
    case 4: return (double)(int64_t)integer(64);
    case 5: return ((double)(int64_t)next()) / 4611686018427387904.0 * (next() % 2 ? 1 : 1000);
    case 6:
        switch (next() % 8) {
        case 0: return __builtin_inf();
        case 1: return -__builtin_inf();
        case 2: return single ? 0x1p-149 : 0x1p-1074;
        case 3: return single ? -0x1.fp-127 : -0x1.fp-1023;
        case 4: return single ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
        default: bits = next() % 2 ? 0x7ff8000000000000u : 0xfff8000000000000u; memcpy(&x, &bits, 8); return x;
        }
    default: bits = next(); memcpy(&x, &bits, 8); return x == x ? x : 7;
    }
}

/* quiet: no signalling NaNs */
static void fill(unsigned char *at, char type, int quiet)
{
    for (int k = 0; k < LENGTH; k++) {
        if (type == 'd') {
            double x = number(quiet, 0);
            uint64_t bits = next() % 2 ? 0x7ff0000000000001u : 0xfff00000000007a2u;
            memcpy(at + 8 * k, &x, 8);
            if (!quiet && next() % 24 == 0) memcpy(at + 8 * k, &bits, 8);
        } else if (type == 'f') {
            float x = (float)number(quiet, 1);
            uint32_t bits = next() % 2 ? 0x7f800001u : 0xff8007a2u;
            memcpy(at + 4 * k, &x, 4);
            if (!quiet && next() % 24 == 0) memcpy(at + 4 * k, &bits, 4);
        } else {
            uint64_t x = integer(8 * bytes(type));
            memcpy(at + bytes(type) * k, &x, bytes(type));
        }
    }
}

static int same(const unsigned char *a, const unsigned char *b, char type)
{
    if (memcmp(a, b, bytes(type)) == 0) return 1;
    if (type == 'd') { double x, y; memcpy(&x, a, 8); memcpy(&y, b, 8); return x != x && y != y; }
    if (type == 'f') { float x, y; memcpy(&x, a, 4); memcpy(&y, b, 4); return x != x && y != y; }
    return 0;
}

static void show(const unsigned char *a, char type)
{
    uint64_t bits = 0;
    memcpy(&bits, a, bytes(type));
    if (type == 'd') { double x; memcpy(&x, a, 8); printf("%a (%016lx)", x, (unsigned long)bits); return; }
    if (type == 'f') { float x; memcpy(&x, a, 4); printf("%a (%08lx)", x, (unsigned long)bits); return; }
    int shift = 64 - 8 * bytes(type);
    if (type >= 'a') printf("%ld", (long)(bits << shift) >> shift); else printf("%lu", (unsigned long)bits);
}

static sigjmp_buf back;
static void caught(int number) { siglongjmp(back, number); }

static void call(void (*f)(), int n, unsigned char (*a)[LENGTH * 8])
{
    /* those that a function does not take do no harm */
    ((void (*)(int, void *, void *, void *, void *, void *, void *, void *, void *,
               void *, void *, void *))f)(n, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10]);
}

/* Prints the first element that differs; whether there was one. */
static int compare(const struct entry *e, int index, int round)
{
    for (int a = 0; e->types[a]; a++)
        for (int k = 0; k < LENGTH; k++) {
            char type = e->types[a];
            int at = bytes(type) * k;
            if (same(mine[a] + at, theirs[a] + at, type)) continue;
            printf("%d n = %d: array %d, element %d is ", index, sizes[round], a, k);
            show(mine[a] + at, type);
            printf(" instead of ");
            show(theirs[a] + at, type);
            for (int b = 0; e->types[b]; b++) {
                printf(b ? ", " : "; before, element %d of all arrays: ", k);
                show(start[b] + bytes(e->types[b]) * k, e->types[b]);
            }
            printf("\n");
            return 1;
        }
    return 0;
}

static void check(int index, uint64_t seed)
{
    const struct entry *e = &entries[index];
    int arrays = (int)strlen(e->types);
    state = seed;
    for (int round = 0; round < CALLS; round++) {
        for (int a = 0; a < arrays; a++) fill(start[a], e->types[a], e->quiet);
        memcpy(mine, start, sizeof start);
        memcpy(theirs, start, sizeof start);
        call(e->reference, sizes[round], theirs);
        int number = sigsetjmp(back, 1);
        if (number) { printf("%d n = %d: signal %d\n", index, sizes[round], number); return; }
        call(e->ours, sizes[round], mine);
        if (compare(e, index, round)) return;
    }
}

int main(int argc, char **argv)
{
    int signals[] = {SIGSEGV, SIGILL, SIGFPE, SIGBUS};
    uint64_t seed = argc > 1 ? strtoull(argv[1], 0, 10) : 0;
    for (int k = 0; k < 4; k++) signal(signals[k], caught);
    for (int k = 0; k < count; k++) check(k, seed);
    printf("done\n");
    return 0;
}
