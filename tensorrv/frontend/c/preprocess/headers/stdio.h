#ifndef _STDIO_H
#define _STDIO_H
#include <stdarg.h>
#include <stddef.h>
#include <sys/types.h>
#define EOF (-1)
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define FOPEN_MAX 16
#define L_tmpnam 20
#define TMP_MAX 238328
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
typedef struct _IO_FILE FILE;
extern FILE *stdin, *stdout, *stderr;
int printf(const char *, ...), fprintf(FILE *, const char *, ...), sprintf(char *, const char *, ...);
int snprintf(char *, size_t, const char *, ...), scanf(const char *, ...), fscanf(FILE *, const char *, ...);
int sscanf(const char *, const char *, ...), puts(const char *), putchar(int), getchar(void), fputs(const char *, FILE *);
int fputc(int, FILE *), fgetc(FILE *), getc(FILE *), putc(int, FILE *), fflush(FILE *), fclose(FILE *), feof(FILE *);
int setvbuf(FILE *restrict, char *restrict, int, size_t), fileno(FILE *), ungetc(int, FILE *), rename(const char *, const char *);
int vprintf(const char *, va_list), vfprintf(FILE *, const char *, va_list), vsnprintf(char *, size_t, const char *, va_list);
int vsprintf(char *, const char *, va_list), pclose(FILE *);
void setbuf(FILE *restrict, char *restrict), clearerr(FILE *);
FILE *popen(const char *, const char *), *freopen(const char *restrict, const char *restrict, FILE *restrict), *tmpfile(void);
ssize_t getline(char **restrict, size_t *restrict, FILE *restrict);
int ferror(FILE *), fseek(FILE *, long, int), remove(const char *);
long ftell(FILE *);
void rewind(FILE *), perror(const char *);
FILE *fopen(const char *, const char *);
char *fgets(char *, int, FILE *);
size_t fread(void *, size_t, size_t, FILE *), fwrite(const void *, size_t, size_t, FILE *);
#endif
