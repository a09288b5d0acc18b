#ifndef _CTYPE_H
#define _CTYPE_H
int isalnum(int), isalpha(int), isblank(int), iscntrl(int), isdigit(int), isgraph(int), islower(int), isprint(int), ispunct(int);
int isspace(int), isupper(int), isxdigit(int), isascii(int), tolower(int), toupper(int), toascii(int);
#endif
