/* Local arrays of which every lane has its own, or one serves all lanes: stacks, tables, windows, structs, pointers into them. */
// brushes: i=8 i=3 i=16
// size n: 0..37
// length A: 200
// values A: 0..100
// size k: 1..7

/* Varying contents at uniform places: chains of independent lanes. */
void rotated(int n, int k, const int A[restrict 200], int out[restrict n])
{
    #pragma omp simd
    for (int i = 0; i < n; i++) {
        int window[24];
        for (int d = 0; d < 24; d++) window[d] = A[i + d] + d;
        int sum = 0;
        for (int r = 0; r < k; r++) {
            int first = window[r];
            for (int d = 0; d < 23; d++) window[d] = window[d + 1] - sum;
            window[23] = first;
            sum = sum * 3 + window[(r * 5) % 24];
        }
        out[i] = sum;
    }
}
/* Varying places: a histogram and a table that are read back in another order. */
void histogram(int n, int k, const int A[restrict 200], int out[restrict n])
{
    #pragma omp simd
    for (int i = 0; i < n; i++) {
        short count[32];
        for (int d = 0; d < 32; d++) count[d] = 0;
        for (int d = 0; d < k * 9; d++) count[A[i + d] & 31] += d + 1;
        int most = 0;
        for (int d = 0; d < 32; d++) if (count[d] > count[most]) most = d;
        out[i] = most * 1000 + count[A[i] & 31];
    }
}
/* A stack that differs between lanes, in a loop that they leave apart. */
void collatz(int n, int k, const int A[restrict 200], int out[restrict n])
{
    #pragma omp simd
    for (int i = 0; i < n; i++) {
        int stack[40], top = 0, sum = k;
        stack[top++] = A[i];
        while (top > 0) {
            int v = stack[--top];
            sum = sum * 3 + v;
            if (v > 1 && top < 38) {
                stack[top++] = v / 2;
                if (v & 4) stack[top++] = v / 3;
            }
            if ((sum & 255) == 77) break;
        }
        out[i] = sum;
    }
}
/* A stack that is the same in all lanes until they leave one by one: each needs its own no more then. */
void common_walk(int n, int k, const int A[restrict 200], int out[restrict n])
{
    #pragma omp simd
    for (int i = 0; i < n; i++) {
        int stack[64], top = 0, found = -1, steps = 0;
        stack[top++] = k * 5;
        while (top > 0) {
            int v = stack[--top];
            steps++;
            if (v == A[i] % 40) { found = steps * 100 + top; break; }
            if (v > 0) { stack[top++] = v - 1 - v / 2; stack[top++] = v / 2; }
        }
        out[i] = found;
    }
}
/* The same, but what the stack held when the lane left is read afterwards. */
void read_after(int n, int k, const int A[restrict 200], int out[restrict n])
{
    #pragma omp simd
    for (int i = 0; i < n; i++) {
        int seen[64], steps = 0;
        for (int d = 0; d < 64; d++) seen[d] = 7 - d;
        while (steps < 60) {
            seen[steps % 20] = steps * k;
            if (steps++ == A[i]) break;
        }
        int sum = 0;
        for (int d = 0; d < 20; d++) sum = sum * 5 + seen[d];
        out[i] = sum + seen[A[i] & 63];
    }
}
/* Stores of the same value in two arms, of which one loads in between; arms that never meet. */
int arms(int n, int k, const int A[restrict 200], int out[restrict n])
{
    #pragma omp simd
    for (int i = 0; i < n; i++) {
        int table[20];
        for (int d = 0; d < 20; d++) table[d] = d * k;
        int r;
        if (A[i] & 1) { table[k] = 99; table[A[i] & 15] += k; r = table[k]; }
        else { r = table[k]; table[k] = 99; }
        if (A[i] & 2) { table[3] = 5; out[i] = r + table[k] + table[3]; continue; }
        out[i] = r - table[3];
    }
    return n;
}
/* Structs in memory with members of several types, found by pointers that walk or are chosen. */
struct item { double weight; short kind; int next; };
void items(int n, int k, const int A[restrict 200], int out[restrict n])
{
    #pragma omp simd
    for (int i = 0; i < n; i++) {
        struct item list[18];
        for (int d = 0; d < 18; d++) { list[d].weight = A[i + d] * 0.5; list[d].kind = d - A[i]; list[d].next = (d * 7 + A[i + 1]) % 18; }
        double sum = 0;
        const struct item *p = &list[A[i] % 18];
        for (int d = 0; d < k * 2; d++) { sum += p->weight * p->kind; p = &list[p->next]; }
        for (p = list; p != list + 18; p++) sum = sum * 0.5 - p->weight;
        out[i] = (int)sum;
    }
}
/* Pointers of which the branch chooses one; differences of pointers. */
void chosen(int n, int k, const int A[restrict 200], int out[restrict n])
{
    #pragma omp simd
    for (int i = 0; i < n; i++) {
        int even[24], odd[24];
        for (int d = 0; d < 24; d++) { even[d] = d; odd[d] = A[i] - d; }
        int *p = A[i] & 1 ? odd : even, *q = k & 1 ? odd : even;
        p[k] += 1000;
        q[k + 1] += 50;
        int *last = even + (A[i] % 24);
        long far = last - even;
        far += last - (A[i] & 2 ? last - k : even + 1);
        out[i] = even[k] + odd[k] * 3 + even[k + 1] * 5 + odd[k + 1] * 7 + (int)far + *last;
    }
}
