/* text.c - error texts in a buffer of fixed size. */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>

struct text text_in(char *at, size_t size) {
  struct text text = {at, size, 0};
  if (size)
    at[0] = '\0';
  return text;
}

void text_add(struct text *text, const char *format, ...) {
  va_list arguments;
  int length;
  if (text->length + 1 >= text->size)
    return;
  va_start(arguments, format);
  length = vsnprintf(text->at + text->length, text->size - text->length, format, arguments);
  va_end(arguments);
  if (length > 0)
    text->length += (size_t)length < text->size - text->length ? (size_t)length : text->size - text->length - 1;
}

void text_add_name(struct text *text, const char *name, size_t size) {
  const size_t limit = 200;
  size_t end = size, i;
  if (size > limit)
    for (end = limit; end > 0 && (name[end] & 0xc0) == 0x80; --end)
      ; /* moves the end to the beginning of a UTF-8 character */
  for (i = 0; i < end; ++i)
    if (name[i])
      text_add(text, "%c", name[i]);
    else
      text_add(text, "\\u0000");
  if (end < size)
    text_add(text, "...");
}

void text_add_shape(struct text *text, const int64_t *shape, uint32_t rank) {
  uint32_t i;
  text_add(text, "[");
  for (i = 0; i < rank; ++i)
    text_add(text, "%s%lld", i ? ", " : "", (long long)shape[i]);
  text_add(text, "]");
}
