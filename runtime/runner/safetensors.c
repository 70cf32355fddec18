/* safetensors.c - tensors by name in a file, for heddle-runner. */
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

size_t tensor_bytes(const struct heddle_tensor *tensor) {
  size_t bytes = heddle_type_size(tensor->type);
  for (uint32_t i = 0; i < tensor->rank; ++i)
    bytes *= (size_t)tensor->shape[i];
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

/* A place in a JSON text; at == end where something is wrong with it. */
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

/* The code of \uXXXX, behind the u. */
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

/* One character of a string as UTF-8; 0 at its end. */
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

/* Reads a string; says whether it is `wanted`. */
static int read_string(struct cursor *c, const char *wanted) {
  int same = 1;
  char character[4];
  if (!accept(c, '"')) {
    c->at = c->end;
    return 0;
  }
  for (size_t count; (count = read_character(c, character)) > 0;) {
    same = same && character[0] && strncmp(wanted, character, count) == 0; /* \u0000 is no end of `wanted` */
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

/* Reads an array of numbers of which there must be `count`. */
static int read_numbers(struct cursor *c, uint64_t *numbers, size_t count) {
  if (!accept(c, '['))
    return 0;
  for (size_t i = 0; i < count; ++i) {
    if (i && !accept(c, ','))
      return 0;
    skip_space(c);
    const char *begin = c->at;
    for (numbers[i] = 0; c->at < c->end && *c->at >= '0' && *c->at <= '9' && c->at - begin < 18; ++c->at)
      numbers[i] = numbers[i] * 10 + (uint64_t)(*c->at - '0');
    if (c->at == begin)
      return 0;
  }
  return accept(c, ']');
}

/* What a file says of a tensor: {"dtype": .., "shape": [..], "data_offsets": [..]}. */
struct entry {
  int has_type, has_shape, has_offsets; /* of the model's type; a shape of its rank */
  uint64_t shape[TENSOR_MOST_RANK], offsets[2];
};

static int read_entry(struct cursor c, const struct heddle_tensor *tensor, struct entry *entry) {
  entry->has_type = entry->has_shape = entry->has_offsets = 0;
  if (tensor->rank > TENSOR_MOST_RANK || !accept(&c, '{'))
    return 0;
  do {
    struct cursor key = c;
    if (read_string(&c, "dtype") && accept(&c, ':')) {
      entry->has_type = read_string(&c, type_names[tensor->type]);
    } else if ((c = key, read_string(&c, "shape")) && accept(&c, ':')) {
      struct cursor value = c;
      entry->has_shape = read_numbers(&value, entry->shape, tensor->rank);
      skip_value(&c);
    } else if ((c = key, read_string(&c, "data_offsets")) && accept(&c, ':')) {
      entry->has_offsets = read_numbers(&c, entry->offsets, 2);
    } else {
      c = key;
      read_string(&c, "");
      accept(&c, ':');
      skip_value(&c);
    }
  } while (accept(&c, ','));
  return 1;
}

/* Where the tensor's entry begins; at == NULL where the header ends before it. */
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

const uint64_t *tensor_file_shape(const struct tensor_file *file, const struct heddle_tensor *tensor) {
  static struct entry entry;
  struct cursor c = find_entry(file, tensor->name);
  return c.at && read_entry(c, tensor, &entry) && entry.has_shape ? entry.shape : NULL;
}

const char *tensor_file_find(const struct tensor_file *file, const struct heddle_tensor *tensor, const void **data) {
  struct entry entry;
  struct cursor c = find_entry(file, tensor->name);
  *data = NULL;
  if (!c.at)
    return tensor->flags & HEDDLE_OPTIONAL ? NULL : fail(tensor->name, "is not in the file");
  if (!read_entry(c, tensor, &entry))
    return fail(tensor->name, "has no entry that can be read");
  if (!entry.has_type)
    return fail(tensor->name, "has another type than the model's");
  for (uint32_t i = 0; entry.has_shape && i < tensor->rank; ++i)
    entry.has_shape = entry.shape[i] == (uint64_t)tensor->shape[i];
  if (!entry.has_shape)
    return fail(tensor->name, "has another shape than the model's");
  if (!entry.has_offsets || entry.offsets[0] > entry.offsets[1] || entry.offsets[1] > file->data_size ||
      entry.offsets[1] - entry.offsets[0] != tensor_bytes(tensor))
    return fail(tensor->name, "lies outside of the file");
  *data = file->data + entry.offsets[0];
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

static void print_header(FILE *stream, const struct heddle_tensor *tensors, size_t count) {
  uint64_t offset = 0;
  for (size_t i = 0; i < count; ++i) {
    fputc(i ? ',' : '{', stream);
    print_json_string(stream, tensors[i].name);
    fprintf(stream, ":{\"dtype\":\"%s\",\"shape\":[", type_names[tensors[i].type]);
    for (uint32_t d = 0; d < tensors[i].rank; ++d)
      fprintf(stream, "%s%lld", d ? "," : "", (long long)tensors[i].shape[d]);
    uint64_t end = offset + tensor_bytes(&tensors[i]);
    fprintf(stream, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)offset, (unsigned long long)end);
    offset = end;
  }
  fputs(count ? "}" : "{}", stream);
}

const char *tensor_file_write(const char *path, const struct heddle_tensor *tensors, void *const *data, size_t count) {
  FILE *stream = fopen(path, "wb");
  if (!stream)
    return fail(path, strerror(errno));
  /* The header's length stands before it and is known behind it. */
  char size[8] = {0};
  fwrite(size, 1, 8, stream);
  print_header(stream, tensors, count);
  long end = ftell(stream);
  for (; end > 0 && end % 8; ++end)
    fputc(' ', stream); /* the data begins at a multiple of 8 */
  for (size_t i = 0; i < count; ++i)
    fwrite(data[i], 1, tensor_bytes(&tensors[i]), stream);
  for (int i = 0; i < 8; ++i)
    size[i] = (char)((uint64_t)(end - 8) >> 8 * i);
  int wrong = end < 0 || fseek(stream, 0, SEEK_SET) != 0 || fwrite(size, 1, 8, stream) != 8 || ferror(stream);
  wrong = fclose(stream) != 0 || wrong;
  return wrong ? fail(path, "cannot be written") : NULL;
}
