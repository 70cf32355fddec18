/* text.h - sentences for what is wrong, in a buffer of fixed size. */
#ifndef HEDDLE_RUNTIME_CALL_TEXT_H
#define HEDDLE_RUNTIME_CALL_TEXT_H
#include <stddef.h>
#include <stdint.h>

struct text {
  char *at; /* terminated, if there is room for that */
  size_t size, length;
};

/* An empty one. */
struct text text_in(char *at, size_t size);
/* Appends as printf writes; what does not fit is left out. */
__attribute__((format(printf, 2, 3))) void text_add(struct text *text, const char *format, ...);
/* Appends "[2, 3]". */
void text_add_shape(struct text *text, const int64_t *shape, uint32_t rank);
#endif
