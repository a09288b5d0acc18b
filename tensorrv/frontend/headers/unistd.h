#ifndef _UNISTD_H
#define _UNISTD_H
#include <stddef.h>
unsigned sleep(unsigned);
#endif
