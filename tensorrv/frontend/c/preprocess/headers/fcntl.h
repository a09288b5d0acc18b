#ifndef _FCNTL_H
#define _FCNTL_H
#include <sys/types.h>
#define AT_EACCESS 0x200
#define AT_FDCWD (-100)
#define AT_REMOVEDIR 0x200
#define AT_SYMLINK_FOLLOW 0x400
#define AT_SYMLINK_NOFOLLOW 0x100
#define FD_CLOEXEC 1
#define F_DUPFD 0
#define F_DUPFD_CLOEXEC 1030
#define F_EXLCK 4
#define F_GETFD 1
#define F_GETFL 3
#define F_GETLK64 5
#define F_LOCK 1
#define F_OK 0
#define F_RDLCK 0
#define F_SETFD 2
#define F_SETFL 4
#define F_SETLK64 6
#define F_SETLKW64 7
#define F_SHLCK 8
#define F_TEST 3
#define F_TLOCK 2
#define F_ULOCK 0
#define F_UNLCK 2
#define F_WRLCK 1
#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_SH 1
#define LOCK_UN 8
#define O_ACCMODE 0003
#define O_APPEND 02000
#define O_ASYNC 020000
#define O_CREAT 0100
#define O_EXCL 0200
#define O_FSYNC O_SYNC
#define O_NDELAY O_NONBLOCK
#define O_NOCTTY 0400
#define O_NONBLOCK 04000
#define O_RDONLY 00
#define O_RDWR 02
#define O_RSYNC O_SYNC
#define O_SYNC 04010000
#define O_TRUNC 01000
#define O_WRONLY 01
#define POSIX_FADV_NORMAL 0
#define POSIX_FADV_RANDOM 1
#define POSIX_FADV_SEQUENTIAL 2
#define POSIX_FADV_WILLNEED 3
#define R_OK 4
#define SEEK_CUR 1
#define SEEK_END 2
#define SEEK_SET 0
#define W_OK 2
#define X_OK 1
#define O_CLOEXEC 02000000
#define O_DSYNC 010000
int open(const char *, int, ...), openat(int, const char *, int, ...), creat(const char *, mode_t), fcntl(int, int, ...);
int posix_fadvise(int, off_t, off_t, int);
#endif
