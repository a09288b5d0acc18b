/* Nests that control enters and leaves in unusual ways, and functions that do unusual things. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static int data[64];
static volatile int ticks;
static jmp_buf place;

static int returns(int n)
{
    for (int i = 0; i < n; i++)
        if (data[i] > 40)
            return i;
    return -1;
}

static int jumps(int n)
{
    int i, found = 0;
    for (i = 0; i < n; i++) {
        if (data[i] == 33)
            goto out;
        data[i] += 1;
    }
    found = 100;
out:
    for (int j = 0; j < n; j++) {
        if (j & 1)
            goto next;
        data[j] ^= 5;
next:;
    }
    return found + i;
}

static int enters(int n, int k)
{
    int i = 2;
    if (k)
        goto inside;
    for (i = 0; i < n; i++) {
inside:
        data[i] += k + 1;
    }
    return i;
}

static void duff(int *to, const int *from, int count)
{
    int n = (count + 3) / 4;
    switch (count % 4) {
    case 0: do { *to++ = *from++;
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++;
            } while (--n > 0);
    }
}

static int switches(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        switch (data[i] & 3) {
        case 0: s += 1; break;
        case 1: data[i] += 2;
        case 2: s += 3; continue;
        default: s -= i;
        }
    switch (n) {
    case 5: for (int i = 0; i < 8; i++) data[i]--; break;
    case 20: for (int i = 0; i < 8; i++) data[i]++;
    default: if (n > 3) for (int i = 0; i < 8; i++) data[i] *= 2; else data[0] = 1;
    }
    if (n > 100) for (int i = 0; i < 8; i++) data[i] = 0;
    else for (int i = 0; i < 8; i++) data[i] += 3;
    return s;
}

static int twice(int n)
{
    int i, kept = n;
    if (setjmp(place))
        return kept + 1;
    for (i = 0; i < n; i++)
        data[i] += 1;
    longjmp(place, 1);
}

static int ticking(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        ticks = ticks + 1;
        s += data[i];
    }
    return s;
}

static int assembles(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        data[i] += 3;
    __asm__ volatile("" : "+r"(s) : : "memory");
    for (int i = 0; i < n; i++)
        s ^= data[i];
    return s;
}

static int computed(int n)
{
    static void *targets[] = {&&one, &&two};
    int s = 0;
    for (int i = 0; i < n; i++)
        s += data[i];
    goto *targets[s & 1];
one:
    return s;
two:
    return -s;
}

static int grown(n, from)
    int n;
    const int *from;
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += from[i];
    return s;
}

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static int calls(int n)
{
    int s = 0, (*pointer)(int) = fib;
    for (int i = 0; i < n; i++)
        data[i] += fib(i & 7);
    for (int i = 0; i < n; i++)
        s += pointer(i & 7);
    for (int i = 0; i < n; i++)
        s += ({ int t = data[i]; t * 2; });
    return s;
}

union number { float f; unsigned u; };

static unsigned unions(int n)
{
    unsigned s = 0;
    union number x;
    struct { unsigned low : 4, high : 4; } bits = {0, 0};
    for (int i = 0; i < n; i++) {
        x.f = i;
        s += x.u >> 16;
    }
    for (int i = 0; i < n; i++) {
        bits.low += data[i];
        s += bits.low;
    }
    return s;
}

static long double wide(int n)
{
    long double s = 0;
    for (int i = 0; i < n; i++)
        s += data[i] / 3.0L;
    return s;
}

int main(void)
{
    int copy[64];
    for (int i = 0; i < 64; i++)
        data[i] = (i * 29) % 51;
    printf("%d\n", returns(64));
    printf("%d\n", jumps(40));
    printf("%d\n", enters(20, 0));
    printf("%d\n", enters(20, 1));
    memset(copy, 0, sizeof copy);
    duff(copy, data, 47);
    printf("%d %d\n", copy[46], copy[47]);
    printf("%d\n", switches(20));
    printf("%d\n", twice(30));
    printf("%d %d\n", ticking(33), ticks);
    printf("%d\n", assembles(33));
    printf("%d\n", computed(33));
    printf("%d\n", grown(33, data));
    printf("%d\n", calls(33));
    printf("%u\n", unions(33));
    printf("%Lg\n", wide(33));
    return 0;
}
