/* Rows for constructs that gcc 12 does not have, or not all clauses of: here it ignores them, as it does without -fopenmp. */
#define N 64
static int helper(int v) { return v + 3; }

// rows: requires, dynamic_allocators, unified_address, unified_shared_memory, reverse_offload, atomic_default_mem_order   brushed: i
#pragma omp requires dynamic_allocators unified_address unified_shared_memory reverse_offload atomic_default_mem_order(relaxed)
void requires(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        o[(i * (n | 1)) & 63] += x[i];
}
// rows: assumes, begin assumes, end assumes, no_openmp, no_openmp_routines, no_parallelism, absent, contains   brushed: i
#pragma omp begin assumes no_openmp absent(task)
#pragma omp end assumes
#pragma omp assumes no_openmp_routines no_parallelism contains(simd)
void assumes(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        o[(i * (n | 1)) & 63] += x[i];
}
// rows: declare target, begin declare target, end declare target, device_type, enter, link, indirect   brushed: i
#pragma omp declare target enter(helper) device_type(any) indirect
#pragma omp begin declare target device_type(host)
static int device(int v) { return v + 1; }
#pragma omp end declare target
#pragma omp declare target link(table)
void declare_target(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        o[(i * (n | 1)) & 63] += device(x[i]);
}
// rows: declare variant, begin declare variant, end declare variant, match, adjust_args, append_args   brushed: i
#pragma omp declare variant(helper) match(construct = {parallel}) adjust_args(nothing : v) append_args(interop(target))
static int variant(int v) { return v + 3; }
#pragma omp begin declare variant match(device = {kind(nohost)})
#pragma omp end declare variant
void declare_variant(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        o[(i * (n | 1)) & 63] += variant(x[i]);
}
// rows: declare mapper   brushed: i
typedef struct { int low, high; } pair;
#pragma omp declare mapper(pair p) map(p.low)
void declare_mapper(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        pair p = {x[i], i};
        o[(i * (n | 1)) & 63] += p.low + p.high;
    }
}
// rows: declare simd, inbranch, linear, aligned, simdlen   brushed: i
#pragma omp declare simd inbranch linear(v) simdlen(8) aligned(p : 4)
static int branch(int v, const int *p) { return *p + v; }
void declare_simd_branch(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        o[(i * (n | 1)) & 63] += branch(i, x);
}
// rows: ordered, threads, doacross   scalar: i
void ordered_threads(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for ordered
    for (int i = 1; i < n; i++) {
#pragma omp ordered doacross(sink : omp_cur_iteration - 1)
#pragma omp ordered threads
        o[i] = o[i - 1] * 3 + x[i];
    }
}
// rows: atomic, compare, capture, fail, weak, acquire, release, acq_rel   scalar: i
void atomics(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int old;
#pragma omp atomic compare capture weak fail(relaxed) acq_rel
        { old = o[x[i] & 7]; if (o[x[i] & 7] == 3) { o[x[i] & 7] = i; } }
#pragma omp atomic release
        o[8 + (x[i] & 7)] += old;
#pragma omp flush acquire
    }
}
// rows: task, detach, affinity, in_reduction, taskgroup, task_reduction, allocate, default   scalar:
void task_clauses(int n, const int x[restrict N], int o[restrict N])
{
    int s = 1;
#pragma omp taskgroup task_reduction(+ : s)
    {
#pragma omp task detach(event) affinity(x[0]) in_reduction(+ : s) allocate(s) default(shared)
        s += x[0] + n;
    }
    o[0] = s;
}
// rows: default   brushed: i
void default_private(int n, const int x[restrict N], int o[restrict N])
{
    int t = 5;
    {
        int u = 6;
#pragma omp parallel for default(firstprivate)
        for (int i = 0; i < n; i++)
            o[i] = t + u + x[i];
    }
}
// rows: taskloop, nogroup, final   scalar: i
void taskloop_clauses(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp taskloop nogroup final(n > 3) shared(o)
    for (int i = 0; i < n; i++)
        o[x[i] & 7] = o[x[i] & 7] * 3 + i;
}
// rows: taskwait, depobj, depend, update, destroy   scalar: i
void depobj(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
#pragma omp depobj(d) depend(inout : o[0])
#pragma omp depobj(d) update(in)
#pragma omp depobj(d) destroy
        o[x[i] & 7] = o[x[i] & 7] * 3 + i;
    }
#pragma omp taskwait depend(in : o[0])
}
// rows: distribute, dist_schedule   scalar: i
void team_chunks(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp teams distribute dist_schedule(static, 4)
    for (int i = 0; i < n; i++)
        o[i / 4] = o[i / 4] * 3 + x[i];
}
// rows: target, device, is_device_ptr, has_device_addr, uses_allocators, defaultmap, thread_limit   brushed: i
void target_clauses(int n, const int x[restrict N], int o[restrict N])
{
    int s = 3;
#pragma omp target device(0) is_device_ptr(x) has_device_addr(o) uses_allocators(a) defaultmap(tofrom : scalar) thread_limit(3)
    {
        s = 4;
        for (int i = 0; i < n; i++)
            o[i] = x[i] + s;
    }
    o[0] = s;
}
// rows: target data, use_device_ptr, use_device_addr, target update, from   brushed: i
void target_data_clauses(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp target data use_device_ptr(x) use_device_addr(o)
    for (int i = 0; i < n; i++)
        o[i] = x[i];
#pragma omp target update from(o[0 : 64])
}
// rows: tile, sizes   scalar: i
void tile(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for
#pragma omp tile sizes(8)
    for (int i = 0; i < n; i++)
        o[i / 8] = o[i / 8] * 3 + x[i];
}
// rows: unroll, partial, full   scalar: i
void unroll(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for
#pragma omp unroll partial(4)
    for (int i = 0; i < n; i++) {
        o[i / 4] = o[i / 4] * 3 + x[i];
#pragma omp unroll full
        for (int k = 0; k < 2; k++)
            o[63] += k;
    }
}
// rows: metadirective, when, otherwise   scalar: i
void metadirective(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for num_threads(8)
#pragma omp metadirective when(user = {condition(n > 3)} : simd) otherwise(nothing)
    for (int i = 0; i < n; i++)
        o[x[i] & 7] = o[x[i] & 7] * 3 + i;
}
// rows: assume, holds   brushed: i
void assume(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp assume holds(n >= 0)
    {
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            o[(i * (n | 1)) & 63] += x[i];
    }
}
// rows: allocate, align, allocator   brushed: i
void allocated(int n, const int x[restrict N], int o[restrict N])
{
    int t[4];
#pragma omp allocate(t) align(64) allocator(omp_high_bw_mem_alloc)
#pragma omp simd private(t)
    for (int i = 0; i < n; i++) {
        t[i & 3] = x[i];
        o[(i * (n | 1)) & 63] += t[i & 3];
    }
}
// rows: dispatch, nocontext, novariants   scalar: i
void dispatch(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
#pragma omp dispatch nocontext(1) novariants(0)
        o[x[i] & 7] += helper(x[i]);
    }
}
// rows: interop, init, use   scalar: i
void interop(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp interop init(targetsync : object)
        o[x[i] & 7] += 1;
#pragma omp interop use(object)
    }
}
// rows: begin metadirective, end metadirective   scalar: i
void begin_metadirective(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for
#pragma omp begin metadirective when(device = {arch(x86)} : unroll)
    for (int i = 0; i < n; i++)
        o[x[i] & 7] += 1;
#pragma omp end metadirective
}
// rows: threadprivate, copyin   scalar: i
#pragma omp threadprivate(counter)
void threadprivate(int n, const int x[restrict N], int counter[restrict N])
{
#pragma omp parallel for copyin(counter)
    for (int i = 0; i < n; i++)
        counter[x[i] & 7] = counter[x[i] & 7] * 3 + i;
}
// rows: any other   scalar: i
void unknown(int n, const int x[restrict N], int o[restrict N])
{
#pragma omp parallel for
#pragma omp any other
    for (int i = 0; i < n; i++)
        o[x[i] & 7] = o[x[i] & 7] * 3 + i;
}
// rows: ivdep   scalar: i
void ivdep_known(int n, const int x[restrict N], int o[restrict N])
{
#pragma ivdep
    for (int i = 1; i < n; i++)
        o[i] = o[i - 1] + x[i];
}
// rows: ivdep   brushed: i
void ivdep_unknown(int n, const int x[restrict N], int o[restrict N])
{
#pragma ivdep
    for (int i = 0; i < n; i++)
        o[(i * 5) & 63] = x[i];
}
// rows: GCC ivdep, clang loop   brushed: i
void other_compilers(int n, const int x[restrict N], int o[restrict N])
{
#pragma GCC ivdep
    for (int i = 0; i < n; i++)
        o[(i * (n | 1)) & 63] += x[i];
#pragma clang loop vectorize(assume_safety)
    for (int i = 0; i < n; i++)
        o[(i * 3) & 63] += x[i];
}
// rows: novector   scalar: i
void novector(int n, const int x[restrict N], int o[restrict N])
{
#pragma novector
    for (int i = 0; i < n; i++)
        o[i] = x[i];
}
