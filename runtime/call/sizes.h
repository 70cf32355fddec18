/* sizes.h - computes the sizes of a call from the shapes of its inputs. */
#ifndef HEDDLE_RUNTIME_CALL_SIZES_H
#define HEDDLE_RUNTIME_CALL_SIZES_H
#include "arrays.h"

/* Stores a value for each size that is SIZE_MAX, which means unknown. arrays[i] is the array for input i, NULL if the
 * input is absent. The ranks of the arrays must have been checked. Returns 0, with the reason in `error`, if a size is
 * not determined or out of its range, or if a shape does not fit the sizes. */
int infer_sizes(const struct heddle_model *model, const struct heddle_array *const *arrays, size_t *sizes,
                struct text *error);

/* Checks that tensors->at[number] has this shape at these sizes. `shape` must have as many extents as this tensor has
 * dimensions. Returns 0, with the reason in `error`, if the tensor has another shape. */
int check_shape(const struct heddle_model *model, const struct tensors *tensors, uint64_t number, const int64_t *shape,
                const size_t *sizes, struct text *error);
#endif
