/* safetensors.c - reads and writes files of named tensors for heddle-runner. */
#include "safetensors.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const type_names[] = {"", "F32", "F64", "F16", "BF16", "I64", "I32", "I8", "BOOL"};

static char message[512];

static const char *fail(const char *where, const char *what) {
  snprintf(message, sizeof message, "%.200s: %.200s", where, what);
  return message;
}

size_t array_bytes(const struct heddle_array *array) {
  size_t bytes = heddle_type_size(array->type);
  for (uint32_t i = 0; i < array->rank; ++i)
    if (array->shape[i] <= 0)
      return 0;
  for (uint32_t i = 0; i < array->rank; ++i) {
    if (bytes > SIZE_MAX / (size_t)array->shape[i])
      return SIZE_MAX;
    bytes *= (size_t)array->shape[i];
  }
  return bytes;
}

const char *tensor_file_read(struct tensor_file *file, const char *path) {
  memset(file, 0, sizeof *file);
  FILE *stream = fopen(path, "rb");
  if (!stream)
    return fail(path, strerror(errno));
  const char *wrong = NULL;
  long size = -1;
  if (fseek(stream, 0, SEEK_END) == 0)
    size = ftell(stream);
  if (size < 8 || fseek(stream, 0, SEEK_SET) != 0)
    wrong = fail(path, "not a .safetensors file: too short");
  else if (!(file->bytes = malloc((size_t)size)))
    wrong = fail(path, "does not fit into memory");
  else if (fread(file->bytes, 1, (size_t)size, stream) != (size_t)size)
    wrong = fail(path, "cannot be read");
  fclose(stream);
  if (wrong) {
    tensor_file_free(file);
    return wrong;
  }
  uint64_t length = 0;
  for (int i = 7; i >= 0; --i)
    length = length << 8 | (unsigned char)file->bytes[i];
  if (length > (uint64_t)size - 8) {
    tensor_file_free(file);
    return fail(path, "not a .safetensors file: its header is longer than the file");
  }
  file->header = file->bytes + 8;
  file->header_size = (size_t)length;
  file->data = file->header + length;
  file->data_size = (size_t)size - 8 - (size_t)length;
  return NULL;
}

void tensor_file_free(struct tensor_file *file) { free(file->bytes); }

/* A position in a JSON text; at == end after an error. */
struct cursor {
  const char *at, *end;
};

static void skip_space(struct cursor *c) {
  while (c->at < c->end && strchr(" \t\r\n", *c->at))
    ++c->at;
}

static int accept(struct cursor *c, char wanted) {
  skip_space(c);
  if (c->at >= c->end || *c->at != wanted)
    return 0;
  ++c->at;
  return 1;
}

/* Reads the four hexadecimal digits of \uXXXX. */
static unsigned read_code(struct cursor *c) {
  unsigned code = 0;
  for (int i = 0; i < 4 && c->at < c->end; ++i, ++c->at) {
    const char *digits = "0123456789abcdef", *digit = *c->at ? strchr(digits, *c->at | 0x20) : NULL;
    if (!digit)
      return 0xfffd;
    code = code << 4 | (unsigned)(digit - digits);
  }
  return code;
}

/* Reads one character of a string as UTF-8 and returns its number of bytes; 0 at the end of the string. */
static size_t read_character(struct cursor *c, char out[4]) {
  if (c->at >= c->end || *c->at == '"')
    return 0;
  out[0] = *c->at++;
  if (out[0] != '\\' || c->at >= c->end)
    return 1;
  out[0] = *c->at++;
  const char *escapes = "bfnrt", *found = strchr(escapes, out[0]);
  if (found)
    out[0] = "\b\f\n\r\t"[found - escapes];
  if (out[0] != 'u')
    return 1;
  unsigned code = read_code(c);
  if (code >= 0xd800 && code < 0xdc00 && c->end - c->at >= 6 && c->at[0] == '\\' && c->at[1] == 'u') {
    c->at += 2;
    code = 0x10000 + ((code - 0xd800) << 10) + ((read_code(c) - 0xdc00) & 0x3ff);
  }
  size_t count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (size_t i = count - 1; i > 0; --i, code >>= 6)
    out[i] = (char)(0x80 | (code & 0x3f));
  out[0] = (char)(count == 1 ? code : (0xf00u >> count & 0xff) | code);
  return count;
}

/* Reads a string and returns whether it equals `wanted`. */
static int read_string(struct cursor *c, const char *wanted) {
  int same = 1;
  char character[4];
  if (!accept(c, '"')) {
    c->at = c->end;
    return 0;
  }
  for (size_t count; (count = read_character(c, character)) > 0;) {
    /* The escape \u0000 gives a 0 byte, which must not match the 0 at the end of `wanted`. */
    same = same && character[0] && strncmp(wanted, character, count) == 0;
    wanted += same ? count : 0;
  }
  return accept(c, '"') && same && !*wanted;
}

static void skip_value(struct cursor *c) {
  int depth = 0;
  do {
    skip_space(c);
    if (c->at >= c->end)
      return;
    if (*c->at == '"') {
      read_string(c, "");
      continue;
    }
    depth += *c->at == '{' || *c->at == '[';
    depth -= *c->at == '}' || *c->at == ']';
    ++c->at;
  } while (depth > 0 || (c->at < c->end && !strchr(",]}", *c->at)));
}

/* Reads an array of at most `maximum` numbers and stores their number in *count. */
static int read_numbers(struct cursor *c, int64_t *numbers, uint32_t maximum, uint32_t *count) {
  *count = 0;
  if (!accept(c, '['))
    return 0;
  if (accept(c, ']'))
    return 1;
  do {
    skip_space(c);
    const char *begin = c->at;
    int64_t number = 0;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9' && c->at - begin < 18; ++c->at)
      number = number * 10 + (*c->at - '0');
    if (c->at == begin || *count == maximum)
      return 0;
    numbers[(*count)++] = number;
  } while (accept(c, ','));
  return accept(c, ']');
}

/* Reads the name of a type; returns 0 if no model can have this type. */
static uint32_t read_type(struct cursor *c) {
  struct cursor begin = *c;
  uint32_t type = sizeof type_names / sizeof *type_names - 1;
  for (; type > 0 && !read_string(c, type_names[type]); --type)
    *c = begin;
  if (type == 0)
    read_string(c, "");
  return type;
}

/* Reads the entry of a tensor: {"dtype": .., "shape": [..], "data_offsets": [..]}. */
static int read_entry(struct cursor c, int64_t *shape, struct heddle_array *array, int64_t offsets[2]) {
  int has_shape = 0, has_offsets = 0;
  uint32_t count;
  if (!accept(&c, '{'))
    return 0;
  do {
    struct cursor key = c;
    if (read_string(&c, "dtype") && accept(&c, ':')) {
      array->type = read_type(&c);
    } else if ((c = key, read_string(&c, "shape")) && accept(&c, ':')) {
      has_shape = read_numbers(&c, shape, TENSOR_MAX_RANK, &array->rank);
    } else if ((c = key, read_string(&c, "data_offsets")) && accept(&c, ':')) {
      has_offsets = read_numbers(&c, offsets, 2, &count) && count == 2;
    } else {
      c = key;
      read_string(&c, "");
      accept(&c, ':');
      skip_value(&c);
    }
  } while (accept(&c, ','));
  return has_shape && has_offsets;
}

/* Finds the entry of a tensor; at == NULL if the header has none. */
static struct cursor find_entry(const struct tensor_file *file, const char *name) {
  struct cursor c = {file->header, file->header + file->header_size}, none = {NULL, NULL};
  if (!accept(&c, '{'))
    return none;
  do {
    int same = read_string(&c, name);
    if (!accept(&c, ':'))
      break;
    if (same)
      return c;
    skip_value(&c);
  } while (accept(&c, ','));
  return none;
}

const char *tensor_file_find(const struct tensor_file *file, const char *name, int64_t *shape,
                             struct heddle_array *array) {
  int64_t offsets[2];
  struct cursor c = find_entry(file, name);
  memset(array, 0, sizeof *array);
  if (!c.at)
    return NULL;
  if (!read_entry(c, shape, array, offsets))
    return fail(name, "has no entry that can be read");
  array->shape = shape;
  if (offsets[0] > offsets[1] || (uint64_t)offsets[1] > file->data_size ||
      (array->type && (size_t)(offsets[1] - offsets[0]) != array_bytes(array)))
    return fail(name, "lies outside of the file");
  array->name = name;
  array->place.host = (char *)file->data + offsets[0];
  return NULL;
}

void print_json_string(FILE *stream, const char *text) {
  fputc('"', stream);
  for (; *text; ++text)
    if ((unsigned char)*text < 0x20 || *text == '"' || *text == '\\')
      fprintf(stream, "\\u%04x", (unsigned char)*text);
    else
      fputc(*text, stream);
  fputc('"', stream);
}

static void print_header(FILE *stream, const struct heddle_array *arrays, size_t count) {
  uint64_t offset = 0;
  for (size_t i = 0; i < count; ++i) {
    fputc(i ? ',' : '{', stream);
    print_json_string(stream, arrays[i].name);
    fprintf(stream, ":{\"dtype\":\"%s\",\"shape\":[", type_names[arrays[i].type]);
    for (uint32_t d = 0; d < arrays[i].rank; ++d)
      fprintf(stream, "%s%lld", d ? "," : "", (long long)arrays[i].shape[d]);
    uint64_t end = offset + array_bytes(&arrays[i]);
    fprintf(stream, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)offset, (unsigned long long)end);
    offset = end;
  }
  fputs(count ? "}" : "{}", stream);
}

const char *tensor_file_write(const char *path, const struct heddle_array *arrays, size_t count) {
  FILE *stream = fopen(path, "wb");
  if (!stream)
    return fail(path, strerror(errno));
  /* The length of the header precedes it and is only known after it is written. */
  char size[8] = {0};
  fwrite(size, 1, 8, stream);
  print_header(stream, arrays, count);
  long end = ftell(stream);
  for (; end > 0 && end % 8; ++end)
    fputc(' ', stream); /* the data begins at a multiple of 8 */
  for (size_t i = 0; i < count; ++i)
    fwrite(arrays[i].place.host, 1, array_bytes(&arrays[i]), stream);
  for (int i = 0; i < 8; ++i)
    size[i] = (char)((uint64_t)(end - 8) >> 8 * i);
  int wrong = end < 0 || fseek(stream, 0, SEEK_SET) != 0 || fwrite(size, 1, 8, stream) != 8 || ferror(stream);
  wrong = fclose(stream) != 0 || wrong;
  return wrong ? fail(path, "cannot be written") : NULL;
}
