/* safetensors.h - reads and writes files of named tensors for heddle-runner. */
#ifndef HEDDLE_RUNNER_SAFETENSORS_H
#define HEDDLE_RUNNER_SAFETENSORS_H
#include "heddle/call.h"

#include <stdio.h>

/* A .safetensors file in memory: 8 bytes with the length of a JSON header, then the header, then the data. */
struct tensor_file {
  char *bytes;
  const char *header, *data;
  size_t header_size, data_size;
};

/* These functions return NULL on success, else an error text that is valid until the next call. If a file could not be
 * read, nothing needs to be freed. */
const char *tensor_file_read(struct tensor_file *file, const char *path);
void tensor_file_free(struct tensor_file *file);

/* The maximum rank of a tensor that can be read. */
enum { TENSOR_MAX_RANK = 64 };

/* Finds the tensor `name` and stores it as an array for a call. Its shape is written to `shape`, which has room for
 * TENSOR_MAX_RANK extents. The elements lie in the file's bytes and may be unaligned. `array->type` is 0 if the tensor
 * has a type that no model can have. `array->name` is NULL if the file has no such tensor. */
const char *tensor_file_find(const struct tensor_file *file, const char *name, int64_t *shape,
                             struct heddle_array *array);

/* Writes a file with arrays that are on the host. */
const char *tensor_file_write(const char *path, const struct heddle_array *arrays, size_t count);

/* Writes a text as a JSON string. */
void print_json_string(FILE *stream, const char *text);

/* The number of bytes of an array's elements; SIZE_MAX if it is larger than that. */
size_t array_bytes(const struct heddle_array *array);
#endif
