#ifndef _STRING_H
#define _STRING_H
#include <stddef.h>
#include <strings.h>
void *memcpy(void *restrict, const void *restrict, size_t), *memmove(void *, const void *, size_t), *memset(void *, int, size_t);
void *memchr(const void *, int, size_t);
int memcmp(const void *, const void *, size_t), strcmp(const char *, const char *), strncmp(const char *, const char *, size_t);
int strcoll(const char *, const char *);
char *strcpy(char *restrict, const char *restrict), *strncpy(char *restrict, const char *restrict, size_t);
char *strcat(char *restrict, const char *restrict), *strncat(char *restrict, const char *restrict, size_t);
char *strchr(const char *, int), *strrchr(const char *, int), *strstr(const char *, const char *), *strdup(const char *);
char *strndup(const char *, size_t), *strpbrk(const char *, const char *), *stpcpy(char *restrict, const char *restrict);
char *strtok(char *restrict, const char *restrict), *strtok_r(char *restrict, const char *restrict, char **restrict);
char *strsep(char **restrict, const char *restrict), *strerror(int), *strsignal(int);
size_t strlen(const char *), strnlen(const char *, size_t), strspn(const char *, const char *), strcspn(const char *, const char *);
#endif
