/* text.h - error texts in a buffer of fixed size. */
#ifndef HEDDLE_RUNTIME_CALL_TEXT_H
#define HEDDLE_RUNTIME_CALL_TEXT_H
#include <stddef.h>
#include <stdint.h>

/* A text in a buffer of `size` bytes. */
struct text {
  char *at;            /* terminated by 0, unless the size is 0 */
  size_t size, length; /* length: the number of bytes before the terminating 0 */
};

/* Returns an empty text that uses the `size` bytes at `at` as its buffer. */
struct text text_in(char *at, size_t size);
/* Appends a text that is formatted like the output of printf; truncates the text if the buffer is full. */
__attribute__((format(printf, 2, 3))) void text_add(struct text *text, const char *format, ...);
/* Appends a name of `size` bytes of UTF-8, which may contain 0 bytes. A name of more than 200 bytes is shortened. */
void text_add_name(struct text *text, const char *name, size_t size);
/* Appends a shape such as "[2, 3]". */
void text_add_shape(struct text *text, const int64_t *shape, uint32_t rank);
#endif
