#ifndef _ERRNO_H
#define _ERRNO_H
#define EDOM 33
#define ERANGE 34
#define EINVAL 22
#define ENOMEM 12
extern int errno;
#endif
