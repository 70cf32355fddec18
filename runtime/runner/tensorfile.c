/* tensorfile.c - reads and writes .safetensors files for heddle-runner. */
#include "tensorfile.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The type in a file for each type of a model. */
static const enum heddle_dtype dtypes[] = {[HEDDLE_F32] = HEDDLE_DTYPE_F32, [HEDDLE_F64] = HEDDLE_DTYPE_F64,
                                           [HEDDLE_F16] = HEDDLE_DTYPE_F16, [HEDDLE_BF16] = HEDDLE_DTYPE_BF16,
                                           [HEDDLE_I64] = HEDDLE_DTYPE_I64, [HEDDLE_I32] = HEDDLE_DTYPE_I32,
                                           [HEDDLE_I8] = HEDDLE_DTYPE_I8,   [HEDDLE_BOOL] = HEDDLE_DTYPE_BOOL};

/* The text of the last error. */
static char message[HEDDLE_SAFETENSORS_ERROR_SIZE + 256];

static const char *fail(const char *where, const char *what) {
  snprintf(message, sizeof message, "%.200s: %s", where, what);
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

/* Returns the bytes of a file in memory that the caller frees, even on failure. On failure, stores the reason in
 * *wrong. */
static char *read_bytes(const char *path, size_t *size, const char **wrong) {
  FILE *stream = fopen(path, "rb");
  char *bytes = NULL;
  long length = -1;
  if (!stream) {
    *wrong = fail(path, strerror(errno));
    return NULL;
  }
  if (fseek(stream, 0, SEEK_END) == 0)
    length = ftell(stream);
  if (length < 0 || length == LONG_MAX || fseek(stream, 0, SEEK_SET) != 0)
    *wrong = fail(path, "cannot be read");
  else if (!(bytes = malloc((size_t)length + 1)))
    *wrong = fail(path, "does not fit into memory");
  else if (fread(bytes, 1, (size_t)length, stream) != (size_t)length)
    *wrong = fail(path, "cannot be read");
  fclose(stream);
  *size = (size_t)length;
  return bytes;
}

const char *tensor_file_read(struct tensor_file *file, const char *path) {
  char error[HEDDLE_SAFETENSORS_ERROR_SIZE];
  const char *wrong = NULL;
  size_t size;
  file->bytes = read_bytes(path, &size, &wrong);
  file->header = wrong ? NULL : heddle_safetensors_parse(file->bytes, size, error, sizeof error);
  if (file->header)
    return NULL;
  free(file->bytes);
  return wrong ? wrong : fail(path, error);
}

void tensor_file_free(struct tensor_file *file) {
  heddle_safetensors_free(file->header);
  free(file->bytes);
}

int tensor_file_find(const struct tensor_file *file, const char *name, struct heddle_array *array) {
  const struct heddle_safetensors_entry *entry = heddle_safetensors_find(file->header, name);
  uint32_t type = entry ? sizeof dtypes / sizeof *dtypes - 1 : 0;
  while (type > 0 && dtypes[type] != entry->dtype)
    --type;
  memset(array, 0, sizeof *array);
  if (!entry)
    return 0;
  *array = (struct heddle_array){name, type, entry->rank, entry->shape, NULL, {NULL, NULL, 0}};
  array->place.host = (char *)file->header->data + entry->begin;
  return 1;
}

/* Returns the bytes in front of the data of these arrays, which the caller frees. On failure, stores the reason in
 * *wrong. */
static char *make_header(const char *path, const struct heddle_array *arrays, size_t count, size_t *size,
                         const char **wrong) {
  char error[HEDDLE_SAFETENSORS_ERROR_SIZE];
  struct heddle_safetensors_entry *entries = calloc(count + 1, sizeof *entries);
  for (size_t i = 0; entries && i < count; ++i)
    entries[i] = (struct heddle_safetensors_entry){.name = arrays[i].name,
                                                   .name_size = strlen(arrays[i].name),
                                                   .dtype = dtypes[arrays[i].type],
                                                   .rank = arrays[i].rank,
                                                   .shape = arrays[i].shape};
  char *header = entries ? heddle_safetensors_header(entries, count, size, error, sizeof error) : NULL;
  if (!header)
    *wrong = fail(path, entries ? error : "too little memory");
  free(entries);
  return header;
}

const char *tensor_file_write(const char *path, const struct heddle_array *arrays, size_t count) {
  const char *wrong = NULL;
  size_t size;
  char *header = make_header(path, arrays, count, &size, &wrong);
  if (!header)
    return wrong;
  FILE *stream = fopen(path, "wb");
  if (!stream) {
    free(header);
    return fail(path, strerror(errno));
  }
  fwrite(header, 1, size, stream);
  for (size_t i = 0; i < count; ++i)
    fwrite(arrays[i].place.host, 1, array_bytes(&arrays[i]), stream);
  int failed = ferror(stream);
  failed = fclose(stream) != 0 || failed;
  free(header);
  return failed ? fail(path, "cannot be written") : NULL;
}
