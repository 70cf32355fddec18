/* safetensors.h - tensors by name in a file, for heddle-runner. */
#ifndef HEDDLE_RUNNER_SAFETENSORS_H
#define HEDDLE_RUNNER_SAFETENSORS_H
#include "heddle/model.h"

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

/* The shape that the file has for `tensor`, until the next call; NULL where it has none of this rank. */
const uint64_t *tensor_file_shape(const struct tensor_file *file, const struct heddle_tensor *tensor);

/* Where the elements of `tensor` are, which the file must have with this type and shape. *data is NULL where the file
 * does not have it and it is optional. Elements may lie at any address. */
const char *tensor_file_find(const struct tensor_file *file, const struct heddle_tensor *tensor, const void **data);

/* Writes the tensors, whose elements are at data[i]. */
const char *tensor_file_write(const char *path, const struct heddle_tensor *tensors, void *const *data, size_t count);

/* Writes a string of JSON. */
void print_json_string(FILE *stream, const char *text);

/* Bytes of a tensor's elements. */
size_t tensor_bytes(const struct heddle_tensor *tensor);
#endif
