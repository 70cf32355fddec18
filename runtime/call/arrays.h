/* arrays.h - checks whether a caller's arrays fit the tensors of a model. */
#ifndef HEDDLE_RUNTIME_CALL_ARRAYS_H
#define HEDDLE_RUNTIME_CALL_ARRAYS_H
#include "heddle/call.h"
#include "text.h"

/* All inputs of a model, or all of its outputs. */
struct tensors {
  const char *kind;               /* "input" or "output", for errors */
  const struct heddle_tensor *at; /* the tensors' descriptions */
  uint64_t count;
};
struct tensors inputs_of(const struct heddle_model *model);
struct tensors outputs_of(const struct heddle_model *model);

/* A function below with a parameter `error` returns 0 and describes the problem in `error` if its check fails. */

/* Finds the tensor with the array's name and stores the index of the tensor in *found. The search begins at the index
 * `hint`: callers often pass arrays in the order of the model's tensors. */
int find_tensor(const struct tensors *tensors, const struct heddle_array *array, uint64_t hint, uint64_t *found,
                struct text *error);
/* Checks that the array has the rank of the tensor tensors->at[number] and that no extent is negative. */
int check_rank(const struct tensors *tensors, uint64_t number, const struct heddle_array *array, struct text *error);
/* Checks that the array has the type of the tensor tensors->at[number], dense strides and no more elements than memory
 * can hold, and that its elements are given, are aligned, and lie either on the host or, if the model's code is for a
 * device, on a device. `device` is NULL if the code is for a CPU. check_rank must have accepted the array. */
int check_elements(const struct tensors *tensors, uint64_t number, const struct heddle_array *array,
                   const struct heddle_device *device, struct text *error);
/* Checks that the tensor tensors->at[number] is optional, unless the caller gave an array for it (`is_given`). */
int check_presence(const struct tensors *tensors, uint64_t number, int is_given, struct text *error);

/* The number of elements of a shape; UINT64_MAX if it does not fit into 64 bits, 0 if an extent is not positive. */
uint64_t count_elements(const int64_t *shape, uint32_t rank);
#endif
