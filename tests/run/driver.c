/* Calls compiled kernels on arrays that are fenced in by unmapped pages, and compares what they leave behind.
 *
 *     driver JOB RECORD
 *
 * JOB (little-endian) holds cases (arguments, contents of the arrays, expected contents and result) and runs (which entry, which
 * case, and whether the arrays end or begin at an unmapped page). With a second argument nothing is compared, and what the
 * runs leave is written to the file RECORD. Every run that faults, hangs, or gives a wrong byte is one line of output. */
#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include "entries.h"

#define SLOTS 16
#define CAPACITY ((size_t)1 << 20)
#define PAGE ((size_t)4096)
#define CANARY 0xA5

struct buffer { uint32_t kind; uint64_t size; const unsigned char *content, *expected; };
struct argument { uint32_t is_pointer, buffer; uint64_t bits; };
struct test {
    uint32_t arguments, buffers, result_kind;
    struct argument argument[32];
    struct buffer buffer[SLOTS];
    uint64_t result;
    double tolerance;
};

static unsigned char *arena[SLOTS];
static sigjmp_buf back;
static volatile sig_atomic_t caught;
static unsigned char *volatile fault_address;

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    caught = number;
    fault_address = info->si_addr;
    siglongjmp(back, 1);
}

static const unsigned char *position;
static char current[64]; /* what lines of output begin with */

static uint32_t word(void)
{
    uint32_t value;
    memcpy(&value, position, 4);
    position += 4;
    return value;
}

static uint64_t quad(void)
{
    uint64_t value;
    memcpy(&value, position, 8);
    position += 8;
    return value;
}

static const unsigned char *bytes(uint64_t size)
{
    const unsigned char *start = position;
    position += size;
    return start;
}

static void read_case(struct test *test)
{
    test->arguments = word();
    for (uint32_t a = 0; a < test->arguments; ++a) {
        test->argument[a].is_pointer = word();
        test->argument[a].buffer = word();
        test->argument[a].bits = quad();
    }
    test->buffers = word();
    for (uint32_t b = 0; b < test->buffers; ++b) {
        struct buffer *buffer = &test->buffer[b];
        buffer->kind = word();
        buffer->size = quad();
        uint32_t known = word();
        buffer->content = bytes(buffer->size);
        buffer->expected = known ? bytes(buffer->size) : NULL;
    }
    test->result_kind = word();
    test->result = quad();
    uint64_t tolerance = quad();
    memcpy(&test->tolerance, &tolerance, 8);
}

/* Whether two elements differ: bit for bit, NaNs being equal, or by more than a relative tolerance. */
static int differ(uint32_t kind, const unsigned char *left, const unsigned char *right, double tolerance)
{
    double x, y;
    if (kind == 8) {
        if (!memcmp(left, right, 8))
            return 0;
        memcpy(&x, left, 8);
        memcpy(&y, right, 8);
    } else if (kind == 4) {
        float f, g;
        if (!memcmp(left, right, 4))
            return 0;
        memcpy(&f, left, 4);
        memcpy(&g, right, 4);
        x = f;
        y = g;
    } else {
        return *left != *right;
    }
    if (isnan(x) && isnan(y))
        return 0;
    return !(tolerance > 0 && fabs(x - y) <= tolerance * fmax(fabs(x), fabs(y)));
}

static void print_bytes(const unsigned char *from, uint32_t count)
{
    for (uint32_t k = count; k > 0; --k)
        printf("%02x", from[k - 1]);
}

static unsigned char *place(const struct buffer *buffer, uint32_t slot, int at_end)
{
    return at_end ? arena[slot] + CAPACITY - buffer->size : arena[slot];
}

/* Fills the arena around an array with canaries, as far as stores might stray. */
static void fill(const struct buffer *buffer, uint32_t slot, int at_end)
{
    size_t around = CAPACITY - buffer->size < 2 * PAGE ? CAPACITY - buffer->size : 2 * PAGE;
    unsigned char *array = place(buffer, slot, at_end);
    memset(at_end ? array - around : array + buffer->size, CANARY, around);
    memcpy(array, buffer->content, buffer->size);
}

static int compare(const struct test *test, uint32_t slot, int at_end)
{
    const struct buffer *buffer = &test->buffer[slot];
    unsigned char *array = place(buffer, slot, at_end);
    uint32_t step = buffer->kind ? buffer->kind : 1;
    for (uint64_t k = 0; buffer->expected && k < buffer->size; k += step)
        if (differ(buffer->kind, array + k, buffer->expected + k, test->tolerance)) {
            printf("%sarray %u byte %llu is ", current, slot, (unsigned long long)k);
            print_bytes(array + k, step);
            printf(" expected ");
            print_bytes(buffer->expected + k, step);
            printf("\n");
            return 1;
        }
    size_t around = CAPACITY - buffer->size < 2 * PAGE ? CAPACITY - buffer->size : 2 * PAGE;
    unsigned char *canaries = at_end ? array - around : array + buffer->size;
    for (size_t k = 0; k < around; ++k)
        if (canaries[k] != CANARY) {
            printf("%swrote outside array %u, at byte %lld\n", current, slot, (long long)(canaries + k - array));
            return 1;
        }
    return 0;
}

static void report_signal(const struct test *test, int at_end)
{
    printf("%ssignal %d", current, (int)caught);
    if (caught == SIGSEGV || caught == SIGBUS)
        for (uint32_t b = 0; b < test->buffers; ++b)
            if (fault_address >= arena[b] - PAGE && fault_address < arena[b] + CAPACITY + PAGE)
                printf(" at byte %lld of array %u of %llu bytes",
                       (long long)(fault_address - place(&test->buffer[b], b, at_end)), b,
                       (unsigned long long)test->buffer[b].size);
    printf("\n");
    if (caught == SIGALRM) { /* one hanging kernel is enough to know */
        puts("done");
        exit(0);
    }
}

static void set_timer(int seconds)
{
    struct itimerval limit = {{0, 0}, {seconds, 0}};
    setitimer(ITIMER_REAL, &limit, NULL);
}

static void run(uint32_t entry, uint32_t number, const struct test *test, int at_end, FILE *record)
{
    union number arguments[32], result;
    memset(&result, 0, sizeof result);
    for (uint32_t b = 0; b < test->buffers; ++b)
        fill(&test->buffer[b], b, at_end);
    for (uint32_t a = 0; a < test->arguments; ++a) {
        const struct argument *argument = &test->argument[a];
        if (argument->is_pointer)
            arguments[a].pointer = place(&test->buffer[argument->buffer], argument->buffer, at_end) + argument->bits;
        else
            arguments[a].bits = argument->bits;
    }
    snprintf(current, sizeof current, "%u %u %d: ", entry, number, at_end);
    caught = 0;
    if (!sigsetjmp(back, 1)) {
        set_timer(5);
        entries[entry].call(entries[entry].function, arguments, &result);
    }
    set_timer(0);
    if (caught)
        report_signal(test, at_end);
    if (record) {
        for (uint32_t b = 0; b < test->buffers; ++b)
            fwrite(place(&test->buffer[b], b, at_end), 1, test->buffer[b].size, record);
        fwrite(&result, 8, 1, record);
    }
    if (caught || record)
        return;
    int wrong = 0;
    for (uint32_t b = 0; b < test->buffers && !wrong; ++b)
        wrong = compare(test, b, at_end);
    uint32_t kind = test->result_kind;
    if (!wrong && kind && (kind == 1 ? result.bits != test->result
                           : differ(kind, (void *)&result, (const void *)&test->result, test->tolerance)))
        printf("%sthe result is %llx expected %llx\n", current, (unsigned long long)result.bits, (unsigned long long)test->result);
}

static unsigned char *read_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        exit(2);
    long size = ftell(file);
    unsigned char *data = malloc(size + 8);
    rewind(file);
    if (fread(data, 1, size, file) != (size_t)size)
        exit(2);
    fclose(file);
    return data;
}

int main(int argc, char **argv)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM, SIGTRAP, SIGABRT};
    static char stack[1 << 16];
    stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternative, NULL);
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    for (size_t k = 0; k < sizeof signals / sizeof *signals; ++k)
        sigaction(signals[k], &action, NULL);
    for (uint32_t slot = 0; slot < SLOTS; ++slot) {
        unsigned char *whole = mmap(NULL, CAPACITY + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (whole == MAP_FAILED || mprotect(whole + PAGE, CAPACITY, PROT_READ | PROT_WRITE))
            return 2;
        arena[slot] = whole + PAGE;
    }
    position = read_file(argv[1]);
    FILE *record = argc > 2 ? fopen(argv[2], "wb") : NULL;
    uint32_t count = word();
    struct test *cases = calloc(count, sizeof *cases);
    for (uint32_t k = 0; k < count; ++k)
        read_case(&cases[k]);
    uint32_t runs = word();
    for (uint32_t k = 0; k < runs; ++k) {
        uint32_t entry = word(), number = word(), at_end = word();
        run(entry, number, &cases[number], (int)at_end, record);
    }
    if (record)
        fclose(record);
    puts("done");
    return 0;
}
