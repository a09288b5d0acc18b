/* One function or more for each row of the table in docs/openmp.md: `rows:` names them. All give the same with gcc, with and without
   -fopenmp and with any number of threads. `brushed:` loops take a brush of 8, others do not. */
#define N 64
typedef struct { int low, high; } pair;
static int twice(int v) { return v * 2; }
static void add_to(int *h, int k, int v)
{
#pragma omp atomic
    h[k] += v;
}
#pragma omp declare reduction(join : pair : omp_out.low += omp_in.low, omp_out.high ^= omp_in.high) \
    initializer(omp_priv = (pair){0, 0})

// rows: parallel, for, shared, default, proc_bind, num_threads   brushed: i
void parallel_for(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for default(none) shared(n, x, o) num_threads(4) proc_bind(close)
    for (int i = 0; i < n; i++)
        o[(i * (n | 1)) & 63] += x[i] * 3;
}
// rows: for, nowait, barrier, private   brushed: i
void region_with_loops(int n, const int x[restrict N], int o[restrict N])
{
    int t[4], k;
#pragma omp parallel private(t, k)
    {
#pragma omp for
        for (int i = 0; i < n; i++) {
            for (k = 0; k < 4; k++)
                t[k] = x[i] >> k;
            o[i] = t[x[i] & 3];
        }
#pragma omp barrier
        {
#pragma omp for nowait
            for (int j = 0; j < n; j++)
                o[j] += x[j];
        }
    }
}
// rows: for   scalar: i
void own_of_the_thread(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel
    {
        int mine[N] = {0};
#pragma omp for nowait
        for (int i = 0; i < n; i++)
            mine[x[i] & 63] += i;
        for (int k = 0; k < N; k++)
#pragma omp atomic
            o[k] += mine[k];
    }
}
// rows: simd, simdlen, safelen, aligned, nontemporal, private   brushed: i
void simd(int n, const int x[restrict N], int o[restrict N])
{
    int t;
#pragma omp simd simdlen(8) safelen(16) aligned(x, o : 4) nontemporal(o) private(t)
    for (int i = 0; i < n; i++) {
        t = x[i] & 15;
        o[i] = t * t;
    }
}
// rows: safelen   brushed: i
void safelen(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp simd safelen(8)
    for (int i = 8; i < n; i++)
        o[i] = o[i - 8] + x[i];
}
// rows: if   scalar: i
void unless(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for if(n > 100)
    for (int i = 0; i < n; i++)
        o[x[i] & 7] = o[x[i] & 7] * 3 + i;
}
// rows: if   brushed: i
void when(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for simd if(parallel : n > 3) if(simd : 1)
    for (int i = 0; i < n; i++)
        o[(i * (n | 1)) & 63] += x[i];
}
// rows: num_threads   scalar: i
void one_thread(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for num_threads(1)
    for (int i = 0; i < n; i++)
        o[x[i] & 7] = o[x[i] & 7] * 3 + i;
}
// rows: schedule   scalar: i
void chunks(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for schedule(static, 4)
    for (int i = 0; i < n; i++)
        o[i / 4] = o[i / 4] * 3 + x[i];
}
// rows: schedule   brushed: i
void schedules(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for schedule(nonmonotonic : dynamic)
    for (int i = 0; i < n; i++)
        o[(i * (n | 1)) & 63] += x[i];
#pragma omp parallel for schedule(simd : guided, 1)
    for (int i = 0; i < n; i++)
        o[(i * 3) & 63] += x[i];
}
// rows: ordered   scalar: i
void ordered(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for ordered
    for (int i = 0; i < n; i++) {
        int t = x[i] * 3;
#pragma omp ordered
        o[0] = o[0] * 5 + t;
    }
}
// rows: ordered, simd   scalar: i
void ordered_simd(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp simd
    for (int i = 1; i < n; i++) {
#pragma omp ordered simd
        o[i] = o[i - 1] + x[i];
    }
}
// rows: ordered, depend   scalar: i
void doacross(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for ordered(1)
    for (int i = 1; i < n; i++) {
#pragma omp ordered depend(sink : i - 1)
        o[i] = o[i - 1] + x[i];
#pragma omp ordered depend(source)
    }
}
// rows: collapse, lastprivate   brushed: j, i
void collapse(int n, const int x[restrict N], int o[restrict N])
{
    int last = 7, j, i;
#pragma omp parallel for simd collapse(2) lastprivate(last)
    for (j = 0; j < 8; j++)
        for (i = 0; i < 8; i++) {
            last = x[i] ^ j;
            o[j * 8 + i] = last;
        }
    o[n & 7] += last;
}
// rows: lastprivate   brushed: i
void lastprivate(int n, const int x[restrict N], int o[restrict N])
{
    int t[3] = {1, 2, 3}, some = 5;
    pair p = {1, 2};
#pragma omp parallel for lastprivate(t, p)
    for (int i = 0; i < n; i++) {
        t[0] = x[i];
        t[1] = i;
        t[2] = x[i] & i;
        p.low = t[i % 3u];
        p.high = t[(i + 1) % 3u];
        o[i] = p.low;
    }
#pragma omp parallel for lastprivate(conditional : some)
    for (int k = 0; k < n; k++)
        if (x[k] > 0)
            some = x[k];
    if (n > 0)
        o[0] = t[0] + 3 * t[1] + 5 * t[2] + p.low * 7 + p.high + some;
}
// rows: firstprivate   brushed: i
void firstprivate(int n, const int x[restrict N], int o[restrict N])
{
    int t[4] = {9, 8, 7, 6}, s = 5, u[2] = {1, 2};
#pragma omp parallel for firstprivate(t, s, u)
    for (int i = 0; i < n; i++) {
        int keep = u[x[i] & 1];
        u[x[i] & 1] = 9;
        o[i] = t[x[i] & 3] + s + u[0] * u[1];
        u[x[i] & 1] = keep;
    }
    o[0] += t[0] + s + u[0];
}
// rows: linear   brushed: i
void linear(int n, const int x[restrict N], int o[restrict N])
{
    int k = 2, step = 3;
    const int *p = x;
#pragma omp simd linear(k : step) linear(p)
    for (int i = 0; i < n; i++) {
        o[i] = *p + k;
        k += step;
        p++;
    }
    o[0] += k + (int)(p - x);
}
// rows: reduction   brushed: i
void reduction(int n, const int x[restrict N], int o[restrict N])
{
    int sum = 1, most = -9, all = 1;
    unsigned bits = 0;
#pragma omp parallel for reduction(+ : sum) reduction(max : most) reduction(&& : all) reduction(task, | : bits)
    for (int i = 0; i < n; i++) {
        sum += x[i] & 255;
        most = x[i] > most ? x[i] : most;
        all = all && x[i] != 77;
        bits |= x[i];
    }
    o[0] = sum + most + all + (int)bits;
}
// rows: reduction   scalar: i
void reduced_array(int n, const int x[restrict N], int o[restrict N])
{
    int t[8] = {0};
#pragma omp parallel for reduction(+ : t) reduction(+ : o[8 : 8])
    for (int i = 0; i < n; i++) {
        t[x[i] & 7] += x[i] & 255;
        o[8 + (x[i] & 7)] += 1;
    }
    for (int k = 0; k < 8; k++)
        o[k] = t[k];
}
// rows: declare reduction, initializer   brushed: i
void declared_reduction(int n, const int x[restrict N], int o[restrict N])
{
    pair p = {1, 2}, *q = &p;
#pragma omp parallel for reduction(join : p)
    for (int i = 0; i < n; i++) {
        p.low += x[i] & 255;
        p.high ^= x[i];
    }
    o[0] = q->low;
    o[1] = q->high;
}
// rows: scan, reduction, inclusive   scalar: i
void inclusive_scan(int n, const int x[restrict N], int o[restrict N])
{
    int s = 3;
#pragma omp simd reduction(inscan, + : s)
    for (int i = 0; i < n; i++) {
        s += x[i];
#pragma omp scan inclusive(s)
        o[i] = s;
    }
}
// rows: scan, exclusive   scalar: i
void exclusive_scan(int n, const int x[restrict N], int o[restrict N])
{
    int s = 3;
#pragma omp simd reduction(inscan, + : s)
    for (int i = 0; i < n; i++) {
        o[i] = s;
#pragma omp scan exclusive(s)
        s += x[i];
    }
}
// rows: order   brushed: i
void concurrent(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for order(concurrent) schedule(static, 4)
    for (int i = 0; i < n; i++)
        o[(i * (n | 1)) & 63] += x[i];
}
// rows: loop, bind   brushed: i
void loop(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel
#pragma omp loop bind(parallel)
    for (int i = 0; i < n; i++)
        o[(i * (n | 1)) & 63] += x[i];
}
// rows: atomic, update, seq_cst, relaxed, hint   scalar: i
void atomic_update(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp atomic update seq_cst
        o[x[i] & 7]++;
#pragma omp atomic relaxed hint(0)
        o[8 + (x[i] & 3)] ^= x[i];
    }
}
// rows: atomic, capture, read, write   scalar: i
void atomic_capture(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        int old, now;
#pragma omp atomic capture
        { old = o[x[i] & 7]; o[x[i] & 7] += 3; }
#pragma omp atomic read
        now = o[8 + (x[i] & 7)];
#pragma omp atomic write
        o[8 + (x[i] & 7)] = now + old;
    }
}
// rows: atomic, compare   scalar: i
void atomic_compare(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp atomic compare
        if (o[x[i] & 7] < x[i]) { o[x[i] & 7] = x[i]; }
    }
}
// rows: atomic   scalar: i
void atomic_in_a_call(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for simd
    for (int i = 0; i < n; i++)
        add_to(o, x[i] & 7, i);
}
// rows: atomic   brushed: i
void atomic_of_one_iteration(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
#pragma omp atomic
        o[i] += x[i];
}
// rows: critical, hint   scalar: i
void critical(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
#pragma omp critical(table) hint(0)
        o[x[i] & 7] += i & 3;
}
// rows: single, copyprivate, masked, filter, master   brushed: i
void one_of_the_team(int n, const int x[restrict N], int o[restrict N])
{
    int s = 1;
#pragma omp parallel firstprivate(s)
    {
#pragma omp single copyprivate(s)
        s = x[0];
#pragma omp master
        o[1] = 7;
#pragma omp barrier
#pragma omp masked filter(0)
        o[2] = 9;
#pragma omp barrier
#pragma omp for
        for (int i = 0; i < n; i++)
            o[i] += x[i] + s;
    }
}
// rows: sections, section, lastprivate, private   brushed: i
void sections(int n, const int x[restrict N], int o[restrict N])
{
    int last = 0, t = 3;
#pragma omp parallel sections lastprivate(last) private(t)
    {
#pragma omp section
        {
            t = 1;
            for (int i = 0; i < n; i++)
                o[i] = x[i] * t;
        }
#pragma omp section
        last = x[1];
    }
    o[0] += last + t;
}
// rows: scope, nowait   brushed: i
void scope(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel
    {
#pragma omp scope nowait
        {
#pragma omp for
            for (int i = 0; i < n; i++)
                o[i] = x[i] + 1;
        }
    }
}
// rows: task, taskwait, depend, priority, untied, mergeable, final   brushed: i
void tasks(int n, const int x[restrict N], int o[restrict N])
{
    int s = 4;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : s) shared(s) priority(2) untied mergeable final(0)
        s = x[0];
#pragma omp task depend(in : s) shared(s)
        for (int i = 0; i < n; i++)
            o[i] = x[i] + s;
#pragma omp taskwait
    }
}
// rows: task, taskgroup, taskyield   scalar: i
void tasks_in_order(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
    for (int i = 0; i < n; i++) {
#pragma omp task depend(inout : o[0]) firstprivate(i)
        o[0] = o[0] * 3 + x[i];
#pragma omp taskyield
    }
}
// rows: task   scalar:
void tasks_own(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        int t = n;
#pragma omp task
        {
            t += x[0];
#pragma omp atomic
            o[0] += t;
        }
#pragma omp taskwait
#pragma omp atomic
        o[0] += t * 3;
    }
}
// rows: taskloop, num_tasks   scalar: i
void taskloop(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(1)
    for (int i = 0; i < n; i++)
        o[x[i] & 7] = o[x[i] & 7] * 3 + i;
}
// rows: taskloop, grainsize   brushed: i
void taskloop_simd(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel
#pragma omp single
#pragma omp taskloop simd grainsize(5) simdlen(8)
    for (int i = 0; i < n; i++)
        o[(i * (n | 1)) & 63] += x[i];
}
// rows: teams, distribute, num_teams, thread_limit, target, map   brushed: i
void target_teams(int n, const int x[restrict N], int o[restrict N])
{
    int s = 5;
#pragma omp target teams distribute parallel for num_teams(2) thread_limit(2) map(to : x[0 : 64]) map(tofrom : o[0 : 64])
    for (int i = 0; i < n; i++)
        o[i] = x[i] + s;
#pragma omp target map(tofrom : o[0 : 64])
    {
        s = 9;
        o[0] += s;
    }
    o[1] += s;
}
// rows: distribute   brushed: i
void distribute(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp teams num_teams(2)
#pragma omp distribute simd
    for (int i = 0; i < n; i++)
        o[(i * (n | 1)) & 63] += x[i];
}
// rows: target data, target enter data, target exit data, target update, to   brushed: i
void target_data(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp target enter data map(to : x[0 : 64])
#pragma omp target data map(tofrom : o[0 : 64])
    {
        for (int i = 0; i < n; i++)
            o[i] = x[i] + 1;
#pragma omp target update to(o[0 : 64])
    }
#pragma omp target exit data map(release : x[0 : 64])
}
// rows: flush   scalar: i
void flushed(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp flush(n)
        o[(i * (n | 1)) & 63] += x[i];
    }
}
// rows: cancel, cancellation point   scalar: i
void cancelled(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < n; i++) {
#pragma omp cancellation point for
#pragma omp atomic
            o[x[i] & 7] += i;
            if (x[i] == 123456789) {
#pragma omp cancel for if(0)
            }
        }
    }
}
// rows: declare simd, uniform, notinbranch   brushed: i
#pragma omp declare simd uniform(k) notinbranch
static int lanes(int v, int k) { return v * 5 + k; }
void declare_simd(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        o[i] = lanes(twice(x[i]), n);
}
// rows: error, nothing, severity, at, message   brushed: i
void utilities(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp error at(compilation) severity(warning) message("only a warning")
#pragma omp nothing
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        o[(i * (n | 1)) & 63] += x[i];
}
