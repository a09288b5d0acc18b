#ifndef _STDARG_H
#define _STDARG_H
typedef struct __va_list *va_list;
#endif
