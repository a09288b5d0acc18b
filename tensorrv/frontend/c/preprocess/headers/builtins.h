static inline int __builtin_popcountll(unsigned long long x)
{
    x -= x >> 1 & 0x5555555555555555ull;
    x = (x & 0x3333333333333333ull) + (x >> 2 & 0x3333333333333333ull);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
    return (int)(x * 0x0101010101010101ull >> 56);
}
static inline int __builtin_popcountl(unsigned long x) { return __builtin_popcountll(x); }
static inline int __builtin_popcount(unsigned x)
{
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return (int)(x * 0x01010101u >> 24);
}
static inline int __builtin_parity(unsigned x) { return __builtin_popcount(x) & 1; }
static inline int __builtin_parityl(unsigned long x) { return __builtin_popcountl(x) & 1; }
static inline int __builtin_parityll(unsigned long long x) { return __builtin_popcountll(x) & 1; }

static inline int __builtin_ctz(unsigned x) { return __builtin_popcount(~x & (x - 1)); }
static inline int __builtin_ctzl(unsigned long x) { return __builtin_popcountl(~x & (x - 1)); }
static inline int __builtin_ctzll(unsigned long long x) { return __builtin_popcountll(~x & (x - 1)); }
static inline int __builtin_ffs(int x) { return x ? __builtin_ctz(x) + 1 : 0; }
static inline int __builtin_ffsl(long x) { return x ? __builtin_ctzl(x) + 1 : 0; }
static inline int __builtin_ffsll(long long x) { return x ? __builtin_ctzll(x) + 1 : 0; }
static inline int __builtin_clz(unsigned x)
{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    return __builtin_popcount(~x);
}
static inline int __builtin_clzll(unsigned long long x)
{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    x |= x >> 32;
    return __builtin_popcountll(~x);
}
static inline int __builtin_clzl(unsigned long x) { return __builtin_clzll(x); }

static inline unsigned short __builtin_bswap16(unsigned short x) { return (unsigned short)(x << 8 | x >> 8); }
static inline unsigned __builtin_bswap32(unsigned x)
{
    return x << 24 | (x & 0xff00u) << 8 | (x >> 8 & 0xff00u) | x >> 24;
}
static inline unsigned long __builtin_bswap64(unsigned long x)
{
    return (unsigned long)__builtin_bswap32((unsigned)x) << 32 | __builtin_bswap32((unsigned)(x >> 32));
}

void *memcpy(void *, const void *, unsigned long), *memmove(void *, const void *, unsigned long);
void *memset(void *, int, unsigned long), *malloc(unsigned long), *calloc(unsigned long, unsigned long);
void free(void *), abort(void), exit(int);
int memcmp(const void *, const void *, unsigned long), strcmp(const char *, const char *), puts(const char *), putchar(int);
int printf(const char *, ...), sprintf(char *, const char *, ...);
unsigned long strlen(const char *);
char *strcpy(char *, const char *), *strchr(const char *, int), *strcat(char *, const char *);
