/* arrays.h - whether a caller's arrays are what a model takes. */
#ifndef HEDDLE_RUNTIME_CALL_ARRAYS_H
#define HEDDLE_RUNTIME_CALL_ARRAYS_H
#include "heddle/call.h"
#include "text.h"

/* Some of a model's tensors, all its inputs or all its outputs. */
struct tensors {
  const char *kind; /* "input" */
  const struct heddle_tensor *at;
  uint64_t count;
};
struct tensors inputs_of(const struct heddle_model *model);
struct tensors outputs_of(const struct heddle_model *model);

/* All of these return 0, and say in `error` why, where something is wrong. */

/* The number of the tensor that the array is for; `hint` is looked at first. */
int find_tensor(const struct tensors *tensors, const struct heddle_array *array, uint64_t hint, uint64_t *found,
                struct text *error);
/* Whether the rank is the tensor's, and all extents can be. */
int check_rank(const struct tensors *tensors, uint64_t number, const struct heddle_array *array, struct text *error);
/* Whether type, strides and place are as the model of this device (NULL: CPU) takes them; the shape was checked. */
int check_elements(const struct tensors *tensors, uint64_t number, const struct heddle_array *array,
                   const struct heddle_device *device, struct text *error);
/* Whether the place that a tensor has is one, or it may be absent. */
int check_presence(const struct tensors *tensors, uint64_t number, int is_given, struct text *error);

/* Elements of a shape; UINT64_MAX for more. */
uint64_t count_elements(const int64_t *shape, uint32_t rank);
#endif
