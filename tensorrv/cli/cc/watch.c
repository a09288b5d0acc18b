/* Put in front of a file under --tensorrv-verify and --tensorrv-profile. It includes nothing and has only names of its own: what it calls
   of the C library has other names here, so that no declaration of the user's is in the way. */

struct trv_nest {
    const char *place;
    int calls, checked, left, wrong, taken;
    double ours, theirs;
    int our_calls, their_calls;
    struct trv_nest *next;
    int known;
};

struct trv_piece { const void *start; unsigned long size; };
struct trv_vector { void *base; unsigned long length; };

extern long trv_system(long, ...) __asm__("syscall");
extern int trv_format(char *, unsigned long, const char *, ...) __asm__("snprintf");
extern unsigned long trv_number(const char *, char **, int) __asm__("strtoul");
extern char *trv_find(const char *, const char *) __asm__("strstr");
extern unsigned long trv_length(const char *) __asm__("strlen");
extern int trv_differ(const void *, const void *, unsigned long) __asm__("memcmp");
extern char *trv_environment(const char *) __asm__("getenv");
extern int trv_time(int, long *) __asm__("clock_gettime");

/* The kernel is called past the C library, whose functions change memory of their own: numbers of processes, tables of addresses. */
/* x86-64: */
enum { TRV_READ = 0, TRV_WRITE = 1, TRV_CLOSE = 3, TRV_OPEN = 257, TRV_PIPE = 293, TRV_FORK = 56, TRV_EXIT = 231, TRV_WAIT = 61,
       TRV_READ_OTHER = 310 };
static char *trv_thread(void) { char *at; __asm__("mov %%fs:0, %0" : "=r"(at)); return at; }
/* end */
/* AArch64: */
enum { TRV_READ = 63, TRV_WRITE = 64, TRV_CLOSE = 57, TRV_OPEN = 56, TRV_PIPE = 59, TRV_FORK = 220, TRV_EXIT = 94, TRV_WAIT = 260,
       TRV_READ_OTHER = 270 };
static char *trv_thread(void) { char *at; __asm__("mrs %0, tpidr_el0" : "=r"(at)); return at; }
/* end */

/* Where the kernel writes which processor a thread is on; a library that has no such place does not have this either. */
extern const long trv_processor __asm__("__rseq_offset") __attribute__((weak));

static long trv_read(int from, void *to, unsigned long size) { return trv_system(TRV_READ, (long)from, to, size); }
static long trv_write(int to, const void *from, unsigned long size) { return trv_system(TRV_WRITE, (long)to, from, size); }
static void trv_close(int file) { trv_system(TRV_CLOSE, (long)file); }
static int trv_open(const char *name, int how) { return (int)trv_system(TRV_OPEN, -100L, name, (long)how, 0644L); }

enum { TRV_CALLS = 3, TRV_BLOCK = 65536, TRV_MAPS = 262144, TRV_SURE = 64 };

static struct trv_nest *trv_first;
static char trv_maps[TRV_MAPS], trv_block[TRV_BLOCK];
static int trv_child, trv_up[2], trv_down[2];

static void trv_say(const char *text)
{
    const char *file = trv_environment("TENSORRV_LOG");
    int to = file ? trv_open(file, 02000 | 0100 | 1) : 2;
    if (to < 0)
        to = 2;
    if (trv_write(to, text, trv_length(text)) < 0) { }
    if (to != 2)
        trv_close(to);
}

static void trv_know(struct trv_nest *nest)
{
    if (!nest->known) {
        char number[8];
        /* functions of libraries get their addresses at their first calls, which must not come later */
        trv_format(number, sizeof number, "%d%p%g%lx", 1, (void *)number, 0.5, 1L);
        if (trv_find("1 2", "2") && trv_number("1", 0, 10) == 1 && trv_length(number) && trv_differ(number, "2", 1)) { }
        nest->known = 1;
        nest->next = trv_first;
        trv_first = nest;
    }
}

static long trv_whole(const char *file, char *to, unsigned long room)
{
    long got, all = 0;
    int from = trv_open(file, 0);
    if (from < 0)
        return -1;
    while (all < (long)room - 1 && (got = trv_read(from, to + all, room - 1 - all)) > 0)
        all += got;
    trv_close(from);
    to[all] = 0;
    return all < (long)room - 1 ? all : -1;
}

/* Whether memory can be compared: there is one thread, and no memory that other processes write, too. */
static int trv_alone(void)
{
    char *line, *threads;
    if (trv_whole("/proc/self/status", trv_maps, TRV_MAPS) < 0 || !(threads = trv_find(trv_maps, "Threads:")))
        return 0;
    if (trv_number(threads + 8, 0, 10) != 1 || trv_whole("/proc/self/maps", trv_maps, TRV_MAPS) < 0)
        return 0;
    for (line = trv_maps; *line; line++) {
        char *mode = trv_find(line, " ");
        if (mode && mode[2] == 'w' && mode[4] == 's')
            return 0;
        while (*line && *line != '\n')
            line++;
        if (!*line)
            break;
    }
    return 1;
}

/* 0: a plain call; 1: this process runs our code, and will compare; 2: this is the other process, which runs the original. */
static int trv_begin(struct trv_nest *nest)
{
    trv_know(nest);
    if (nest->calls++ >= TRV_CALLS)
        return 0;
    if (trv_child || !trv_alone() || trv_system(TRV_PIPE, trv_up, 0L)) {
        nest->left++;
        return 0;
    }
    if (trv_system(TRV_PIPE, trv_down, 0L)) {
        trv_close(trv_up[0]);
        trv_close(trv_up[1]);
        nest->left++;
        return 0;
    }
    nest->checked++;
    trv_child = (int)trv_system(TRV_FORK, 17L, 0L, 0L, 0L, 0L);
    if (trv_child == 0) {
        trv_child = -1;
        return 2;
    }
    if (trv_child < 0) {
        trv_child = 0;
        nest->checked--;
        nest->left++;
        trv_close(trv_up[0]); trv_close(trv_up[1]); trv_close(trv_down[0]); trv_close(trv_down[1]);
        return 0;
    }
    return 1;
}

/* Whether a number is an address of code: tables of these change when functions are first called, and nests do not store them. */
static int trv_is_code(const char *number)
{
    unsigned long value;
    char *line;
    __builtin_memcpy(&value, number, 8);
    for (line = trv_maps; *line; line++) {
        char *rest;
        unsigned long low = trv_number(line, &rest, 16), high = trv_number(rest + 1, &rest, 16);
        if (value >= low && value < high && rest[3] == 'x')
            return 1;
        while (*line && *line != '\n')
            line++;
        if (!*line)
            break;
    }
    return 0;
}

static int trv_close_to(double a, double b, double part)
{
    double distance = a < b ? b - a : a - b, size = (a < 0 ? -a : a) + (b < 0 ? -b : b);
    return distance <= part * size + 1e-300;
}

/* Whether eight bytes are the same numbers: equal, or NaNs in the same places, or nearly equal where that is all that is promised. */
static int trv_same(const char *ours, const char *theirs, int nearly)
{
    double a, b;
    float x[2], y[2];
    int k;
    __builtin_memcpy(&a, ours, 8);
    __builtin_memcpy(&b, theirs, 8);
    if (__builtin_isnan(a) && __builtin_isnan(b))
        return 1;
    __builtin_memcpy(x, ours, 8);
    __builtin_memcpy(y, theirs, 8);
    for (k = 0; k < 2; k++)
        if (trv_differ(ours + 4 * k, theirs + 4 * k, 4) && !(__builtin_isnan(x[k]) && __builtin_isnan(y[k])))
            break;
    if (k == 2 || (nearly && trv_close_to(a, b, 1e-7)))
        return 1;
    for (k = 0; nearly && k < 2; k++)
        if (trv_differ(ours + 4 * k, theirs + 4 * k, 4) && !trv_close_to(x[k], y[k], 1e-3))
            return 0;
    return nearly;
}

/* Compares memory with that of the other process; -1: it cannot be read, 0: equal, 1: not. */
static int trv_compare(struct trv_nest *nest, const char *start, unsigned long size, int nearly)
{
    char text[512];
    while (size) {
        unsigned long part = size < TRV_BLOCK ? size : TRV_BLOCK, k;
        struct trv_vector to = {trv_block, part}, from = {(void *)start, part};
        if (trv_system(TRV_READ_OTHER, (long)trv_child, &to, 1L, &from, 1L, 0L) != (long)part)
            return -1;
        if (trv_differ(trv_block, start, part))
            for (k = 0; k < part; k += 8) {
                char ours[8] = {0}, theirs[8] = {0};
                unsigned long bytes = part - k < 8 ? part - k : 8;
                const char *own = start + k;
                if (own >= (char *)&trv_first && own < (char *)(&trv_first + 1))
                    continue;
                if ((own >= trv_maps && own < trv_maps + TRV_MAPS) || (own >= trv_block && own < trv_block + TRV_BLOCK))
                    continue;
                if ((own + 8 > (char *)&trv_child && own <= (char *)&trv_child + 3) || (own + 8 > (char *)nest && own < (char *)(nest + 1)))
                    continue;
                if (&trv_processor && own >= trv_thread() + trv_processor && own < trv_thread() + trv_processor + 32)
                    continue;
                __builtin_memcpy(ours, own, bytes);
                __builtin_memcpy(theirs, trv_block + k, bytes);
                if (trv_differ(ours, theirs, 8) && !trv_same(ours, theirs, nearly) && !trv_is_code(ours) && !trv_is_code(theirs)) {
                    double a, b;
                    long i, j;
                    __builtin_memcpy(&a, ours, 8), __builtin_memcpy(&b, theirs, 8);
                    __builtin_memcpy(&i, ours, 8), __builtin_memcpy(&j, theirs, 8);
                    trv_format(text, sizeof text, "tensorrv-cc: %s: the nest differs from the original at %p: %.17g (%#lx) instead of "
                               "%.17g (%#lx)\n", nest->place, (const void *)own, a, i, b, j);
                    trv_say(text);
                    return 1;
                }
            }
        start += part;
        size -= part;
    }
    return 0;
}

/* Behind the nest, in both processes; `above` is where the frames of callers begin. */
static void trv_end(struct trv_nest *nest, int who, const struct trv_piece *pieces, int count, const char *above, int nearly)
{
    char done = 0;
    int k, status, found = 0;
    char *line;
    if (!who)
        return;
    if (who == 2) {
        done = 1;
        if (trv_write(trv_up[1], &done, 1) == 1 && trv_read(trv_down[0], &done, 1) == 1) { }
        trv_system(TRV_EXIT, 0L);
    }
    trv_close(trv_up[1]);
    trv_close(trv_down[0]);
    if (trv_read(trv_up[0], &done, 1) != 1) {
        char text[512];
        trv_format(text, sizeof text, "tensorrv-cc: %s: the original does not come to its end where ours does\n", nest->place);
        trv_say(text);
        found = 1;
    }
    trv_whole("/proc/self/maps", trv_maps, TRV_MAPS);
    for (k = 0; k < count && !found; k++)
        found = trv_compare(nest, pieces[k].start, pieces[k].size, nearly);
    for (line = trv_maps; *line && !found; line++) {
        char *rest;
        unsigned long low = trv_number(line, &rest, 16), high = trv_number(rest + 1, &rest, 16);
        if (rest[2] == 'w' && rest[4] == 'p') {
            char *end = line, *stack = trv_find(line, "[stack]"), *special = trv_find(line, "[v");
            while (*end && *end != '\n')
                end++;
            if (stack && stack < end)
                low = (unsigned long)above;
            if (!(special && special < end) && low < high)
                found = trv_compare(nest, (char *)low, high - low, nearly);
        }
        while (*line && *line != '\n')
            line++;
        if (!*line)
            break;
    }
    if (found < 0) {
        nest->checked--;
        nest->left++;
    }
    nest->wrong += found > 0;
    if (trv_write(trv_down[1], &done, 1) == 1) { }
    trv_close(trv_up[0]);
    trv_close(trv_down[1]);
    trv_system(TRV_WAIT, (long)trv_child, &status, 0L, 0L);
    trv_child = 0;
}

static double trv_now(void)
{
    long time[2];
    trv_time(1, time);
    return time[0] * 1e6 + time[1] * 1e-3;
}

/* Whether our code runs this time: in turn with the original, until it is known which is faster. */
static int trv_choose(struct trv_nest *nest, double *start)
{
    int call = nest->calls++;
    trv_know(nest);
    *start = -1;
    if (call >= TRV_SURE)
        return nest->taken;
    if (call == TRV_SURE - 1)
        nest->taken = nest->ours * nest->their_calls <= nest->theirs * nest->our_calls;
    *start = trv_now();
    return !(call & 1);
}

static void trv_took(struct trv_nest *nest, int ours, double start)
{
    if (start < 0)
        return;
    start = trv_now() - start;
    if (ours) {
        nest->ours += start;
        nest->our_calls++;
    } else {
        nest->theirs += start;
        nest->their_calls++;
    }
}

__attribute__((destructor)) static void trv_report(void)
{
    char text[512];
    struct trv_nest *nest;
    if (trv_child)
        return;
    for (nest = trv_first; nest; nest = nest->next) {
        if (nest->our_calls + nest->their_calls == 0)
            trv_format(text, sizeof text, "tensorrv-cc: %s: %d calls, %d compared with the original, %d left out, %d different\n",
                       nest->place, nest->calls, nest->checked, nest->left, nest->wrong);
        else if (nest->their_calls == 0)
            trv_format(text, sizeof text, "tensorrv-cc: %s: %d calls, ours %.3f us\n", nest->place, nest->calls,
                       nest->ours / nest->our_calls);
        else
            trv_format(text, sizeof text, "tensorrv-cc: %s: %d calls, ours %.3f us, original %.3f us, %s\n", nest->place, nest->calls,
                       nest->ours / nest->our_calls, nest->theirs / nest->their_calls,
                       nest->ours * nest->their_calls <= nest->theirs * nest->our_calls ? "ours is faster" : "the original is faster");
        trv_say(text);
    }
}
