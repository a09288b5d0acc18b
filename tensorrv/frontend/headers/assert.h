#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
void __assert_fail(void);
#define assert(condition) ((condition) ? (void)0 : __assert_fail())
#endif
