/* utf8.h - characters in UTF-8. C99, needs only libc. */
#ifndef HEDDLE_RUNTIME_TENSORS_UTF8_H
#define HEDDLE_RUNTIME_TENSORS_UTF8_H
#include <stddef.h>

/* Returns the number of bytes of the character that begins at `at`. `end` is the end of the text; `at` is less than
 * `end`. Returns 0 if the bytes are not a character: malformed, cut off, longer than necessary, half of a surrogate
 * pair, or beyond U+10FFFF. */
size_t heddle_utf8_length(const char *at, const char *end);

/* Writes the character of a code, which is at most 0x10ffff, and returns its number of bytes. */
size_t heddle_utf8_encode(unsigned code, char out[4]);
#endif
