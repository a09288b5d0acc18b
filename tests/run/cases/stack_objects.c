// Local arrays, structs in memory, pointers to them, and variables whose address is taken.
// size n: 0..14
// length A: 80
// length F: 80
// length D: 80
// length out: n
// values A: -40..100
// brushes: none 8
// may stay scalar
struct body { int id; double v[2]; };
static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
static double sum(const double *p, const double *end) { double s = 0; while (p < end) s += *p++; return s; }
void walked(int n, const int *restrict A, int *restrict out)
{
    for (int i = 0; i < n; i++) {
        int stack[64], top = 0, sum = 0;
        stack[top++] = A[i] & 31;
        while (top > 0) {
            int v = stack[--top];
            sum = sum * 3 + v;
            if (v > 1 && top < 60) { stack[top++] = v / 2; stack[top++] = v - 1 - v / 2; }
            if ((sum & 0xfff) == 77) break;
        }
        out[i] = sum;
    }
}
void weighted(int n, const float *restrict F, float *restrict out)
{
    for (int i = 0; i < n; i++) {
        float q[4], w[8] = {1, F[i], 3};
        for (int d = 0; d < 4; d++) q[d] = F[4 * i + d];
        w[i & 7] += q[i & 3];
        float s = 0;
        for (int d = 0; d < 4; d++) s += (q[d] - w[d + 1]) * w[7 - d];
        out[i] = s;
    }
}
void binned(int n, const int *A, int *out)
{
    int count[16] = {0}, long_one[200] = {5, 6};
    for (int i = 0; i < n; i++) count[A[i] & 15]++;
    for (int i = 0; i < n; i++) out[i] = count[i] + long_one[i];
}
void shifted(int n, double *D)
{
    double window[3] = {D[0], D[1], D[2]};
    for (int i = 1; i < n; i++) {
        double next[3];
        for (int k = 0; k < 3; k++) next[k] = window[(k + 1) % 3];
        next[2] = D[i + 2];
        D[i] = sum(next, next + 3);
        for (int k = 0; k < 3; k++) window[k] = next[k];
    }
}
int bodies(int n, const int *A, double *D)
{
    struct body b[4] = {{1, {2, 3}}, {n}}, *least = b;
    for (int i = 0; i < n; i++) {
        struct body *p = &b[A[i] & 3];
        p->id += A[i];
        p->v[i & 1] += D[i];
    }
    for (struct body *p = b + 1; p != b + 4; p++) if (p->v[0] < least->v[0]) least = p;
    int first = b[0].id, last = b[3].id;
    if (n & 1) swap(&first, &last);
    D[least - b] = least->v[1];
    return first * 1000 + last;
}
void chosen(int n, const float *F, float *out)
{
    float zeros[8] = {0};
    for (int i = 0; i < n; i++) {
        const float *from = F[i] > 0 ? F + i : zeros;
        float parts[4], *to = parts;
        while (to < parts + 4) *to++ = from[to - parts] + i;
        out[i] = parts[i & 3] + *(to - 1);
    }
}
