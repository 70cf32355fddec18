/* tensorfile.h - reads and writes .safetensors files for heddle-runner. */
#ifndef HEDDLE_RUNNER_TENSORFILE_H
#define HEDDLE_RUNNER_TENSORFILE_H
#include "../tensors/safetensors.h"
#include "heddle/call.h"

/* A .safetensors file in memory. */
struct tensor_file {
  char *bytes;                       /* the whole file */
  struct heddle_safetensors *header; /* refers to `bytes` */
};

/* Reads a file and checks it. Returns NULL on success; else an error text that names the file and is valid until the
 * next call of a function of this header. After an error nothing needs to be freed. */
const char *tensor_file_read(struct tensor_file *file, const char *path);
void tensor_file_free(struct tensor_file *file);

/* Stores the tensor `name` in *array, as an input of a call, and returns whether the file contains the tensor. Nothing
 * is copied: the array refers to `name` and to the memory of `file`. The elements may be unaligned. `array->type` is 0
 * if the tensor has a type that no model can have. */
int tensor_file_find(const struct tensor_file *file, const char *name, struct heddle_array *array);

/* Writes a file with arrays that are on the host and have known types. Returns NULL on success; else an error text,
 * like tensor_file_read. */
const char *tensor_file_write(const char *path, const struct heddle_array *arrays, size_t count);

/* The number of bytes of an array's elements; 0 if an extent is not positive, SIZE_MAX if the number does not fit into
 * size_t. */
size_t array_bytes(const struct heddle_array *array);
#endif
