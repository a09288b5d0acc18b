#ifndef _SYS_TYPES_H
#define _SYS_TYPES_H
#include <stddef.h>
#include <stdint.h>
typedef long ssize_t, off_t, blkcnt_t, time_t, clock_t, suseconds_t;
typedef unsigned long dev_t, ino_t;
typedef unsigned int mode_t, uid_t, gid_t, id_t, useconds_t;
typedef int pid_t, clockid_t, key_t;
typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
#endif
