#ifndef _UNISTD_H
#define _UNISTD_H
#include <stddef.h>
#include <sys/types.h>
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define F_OK 0
#define X_OK 1
#define W_OK 2
#define R_OK 4
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define _SC_CLK_TCK 2
#define _SC_PAGESIZE 30
#define _SC_PAGE_SIZE 30
#define _SC_NPROCESSORS_CONF 83
#define _SC_NPROCESSORS_ONLN 84
#define _SC_PHYS_PAGES 85
extern char *optarg;
extern int optind, opterr, optopt;
unsigned sleep(unsigned), alarm(unsigned);
int usleep(useconds_t), access(const char *, int), close(int), dup(int), dup2(int, int), fsync(int), ftruncate(int, off_t);
int getopt(int, char *const *, const char *), gethostname(char *, size_t), getpagesize(void), isatty(int), pipe(int *);
int rmdir(const char *), truncate(const char *, off_t), unlink(const char *), chdir(const char *);
off_t lseek(int, off_t, int);
ssize_t read(int, void *, size_t), write(int, const void *, size_t), readlink(const char *restrict, char *restrict, size_t);
ssize_t pread(int, void *, size_t, off_t), pwrite(int, const void *, size_t, off_t);
pid_t fork(void), getpid(void), getppid(void);
uid_t getuid(void);
long sysconf(int);
char *getcwd(char *, size_t);
void _exit(int), *sbrk(intptr_t);
#endif
