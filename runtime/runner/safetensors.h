/* safetensors.h - tensors by name in a file, for heddle-runner. */
#ifndef HEDDLE_RUNNER_SAFETENSORS_H
#define HEDDLE_RUNNER_SAFETENSORS_H
#include "heddle/call.h"

#include <stdio.h>

/* A .safetensors file in memory: 8 bytes with the length of a JSON header, the header, the data. */
struct tensor_file {
  char *bytes;
  const char *header, *data;
  size_t header_size, data_size;
};

/* Functions return NULL, or what is wrong: a text that holds until the next call. Of a file that cannot be read
 * there is nothing to free. */
const char *tensor_file_read(struct tensor_file *file, const char *path);
void tensor_file_free(struct tensor_file *file);

/* No tensor of more dimensions is read. */
enum { TENSOR_MOST_RANK = 64 };

/* What the file has of this name, as an array for a call: its shape is written to `shape`, of TENSOR_MOST_RANK extents,
 * and its elements are in the file, at any address; type 0 is one that no model has. `array->name` is NULL where the file
 * has none of this name. */
const char *tensor_file_find(const struct tensor_file *file, const char *name, int64_t *shape,
                             struct heddle_array *array);

/* Writes arrays of the host's. */
const char *tensor_file_write(const char *path, const struct heddle_array *arrays, size_t count);

/* Writes a string of JSON. */
void print_json_string(FILE *stream, const char *text);

/* Bytes of an array's elements; SIZE_MAX for more. */
size_t array_bytes(const struct heddle_array *array);
#endif
