/* What a table of entries is: a kernel and how to call it. */
#include <stdint.h>

union number {
    uint64_t bits;
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
    void *pointer;
};

struct entry {
    void (*function)(void);
    void (*call)(void (*function)(void), const union number *arguments, union number *result);
};

extern const struct entry entries[];
