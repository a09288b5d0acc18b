#ifndef _SIGNAL_H
#define _SIGNAL_H
#include <sys/types.h>
#define SIGBUS 7
#define SIGTTIN 21
#define SIGPROF 27
#define SIGFPE 8
#define SIGHUP 1
#define SIGTTOU 22
#define SIGSTKFLT 16
#define SIGUSR1 10
#define SIGURG 23
#define SIGQUIT 3
#define SIGABRT 6
#define SIGUSR2 12
#define SIGTRAP 5
#define SIGVTALRM 26
#define SIGPOLL 29
#define SIGSEGV 11
#define SIGCONT 18
#define SIGPIPE 13
#define SIGWINCH 28
#define SIGXFSZ 25
#define SIGCHLD 17
#define SIGSYS 31
#define SIGSTOP 19
#define SIGALRM 14
#define SIGTSTP 20
#define SIGKILL 9
#define SIGXCPU 24
#define SIGPWR 30
#define SIGILL 4
#define SIGINT 2
#define SIGTERM 15
#define SA_SIGINFO 4
#define SA_ONSTACK 0x08000000
#define SA_NODEFER 0x40000000
#define SA_RESETHAND 0x80000000
#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SA_NOCLDSTOP 1
#define SA_INTERRUPT 0x20000000
#define SA_STACK SA_ONSTACK
#define SA_ONESHOT SA_RESETHAND
#define SA_RESTART 0x10000000
#define SA_NOMASK SA_NODEFER
#define SA_NOCLDWAIT 2
#define SIG_SETMASK 2
#define SIGIO SIGPOLL
#define SIGIOT SIGABRT
#define SIGCLD SIGCHLD
typedef int sig_atomic_t;
typedef void (*__sighandler_t)(int);
#define SIG_DFL ((__sighandler_t)0)
#define SIG_IGN ((__sighandler_t)1)
struct sigaction;
__sighandler_t signal(int, __sighandler_t);
int raise(int), kill(pid_t, int), sigaction(int, const struct sigaction *, struct sigaction *);
#endif
