/* header.c - writes the headers of .safetensors files. */
#include "../call/text.h"
#include "json.h"
#include "safetensors.h"

#include <stdio.h>
#include <stdlib.h>

/* Writes an entry to `at`, which has room for entry_room() bytes, and returns the position after the entry. */
static char *write_entry(char *at, const struct heddle_safetensors_entry *entry) {
  *at++ = '"';
  for (size_t i = 0; i < entry->name_size; ++i)
    at += heddle_json_escape(entry->name[i], at);
  at += sprintf(at, "\":{\"dtype\":\"%s\",\"shape\":[", heddle_dtype_name(entry->dtype));
  for (uint32_t d = 0; d < entry->rank; ++d)
    at += sprintf(at, "%s%lld", d ? "," : "", (long long)entry->shape[d]);
  return at + sprintf(at, "],\"data_offsets\":[%lld,%lld]}", (long long)entry->begin, (long long)entry->end);
}

/* Returns the maximum number of bytes that write_entry() writes, including a comma in front of the entry. */
static size_t entry_room(const struct heddle_safetensors_entry *entry) {
  const size_t escape = 6, number = 20, others = 128; /* bytes; a number includes its comma */
  return escape * entry->name_size + number * entry->rank + others;
}

char *heddle_safetensors_header(struct heddle_safetensors_entry *entries, size_t count, size_t *size, char *error,
                                size_t error_size) {
  struct text described = text_in(error, error_size);
  size_t room = 8 + sizeof "{}" + 8; /* the length of the header, the braces, and spaces at the end */
  int64_t offset = 0;
  for (size_t i = 0; i < count; ++i) {
    struct heddle_safetensors_entry *entry = &entries[i];
    if (entry->rank > HEDDLE_SAFETENSORS_MAX_RANK) {
      text_add(&described, "tensor '");
      text_add_name(&described, entry->name, entry->name_size);
      text_add(&described, "': its shape has %lu dimensions, at most %d are supported", (unsigned long)entry->rank,
               HEDDLE_SAFETENSORS_MAX_RANK);
      return NULL;
    }
    int64_t bytes = heddle_safetensors_size(entry);
    if (bytes < 0 || bytes > INT64_MAX - offset) {
      text_add(&described, "the tensors are too large");
      return NULL;
    }
    entry->begin = offset;
    entry->end = offset += bytes;
    room += entry_room(entry);
  }
  char *header = malloc(room);
  if (!header) {
    text_add(&described, "too little memory");
    return NULL;
  }
  char *at = header + 8;
  *at++ = '{';
  for (size_t i = 0; i < count; ++i) {
    if (i > 0)
      *at++ = ',';
    at = write_entry(at, &entries[i]);
  }
  *at++ = '}';
  while ((at - header) % 8)
    *at++ = ' ';
  *size = (size_t)(at - header);
  if (*size - 8 > HEDDLE_SAFETENSORS_MAX_HEADER) {
    text_add(&described, "the header would have %lu bytes, at most %d are allowed", (unsigned long)(*size - 8),
             HEDDLE_SAFETENSORS_MAX_HEADER);
    free(header);
    return NULL;
  }
  for (int i = 0; i < 8; ++i)
    header[i] = (char)((uint64_t)(*size - 8) >> 8 * i);
  return header;
}
