#ifndef _STDIO_H
#define _STDIO_H
#include <stddef.h>
#define EOF (-1)
#define BUFSIZ 8192
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
typedef int FILE;
extern FILE *stdin, *stdout, *stderr;
int printf(const char *, ...), fprintf(FILE *, const char *, ...), sprintf(char *, const char *, ...);
int snprintf(char *, size_t, const char *, ...), scanf(const char *, ...), fscanf(FILE *, const char *, ...);
int sscanf(const char *, const char *, ...), puts(const char *), putchar(int), getchar(void), fputs(const char *, FILE *);
int fputc(int, FILE *), fgetc(FILE *), getc(FILE *), putc(int, FILE *), fflush(FILE *), fclose(FILE *), feof(FILE *);
int ferror(FILE *), fseek(FILE *, long, int), remove(const char *);
long ftell(FILE *);
void rewind(FILE *), perror(const char *);
FILE *fopen(const char *, const char *);
char *fgets(char *, int, FILE *);
size_t fread(void *, size_t, size_t, FILE *), fwrite(const void *, size_t, size_t, FILE *);
#endif
