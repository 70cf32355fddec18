/* sizes.h - sizes of a call, from the shapes of its inputs. */
#ifndef HEDDLE_RUNTIME_CALL_SIZES_H
#define HEDDLE_RUNTIME_CALL_SIZES_H
#include "arrays.h"

/* Fills in each size that is SIZE_MAX. arrays[i] is of input i, NULL where it is absent; ranks were checked. Returns 0,
 * and says in `error` why, where a size is not told or out of its range, or where a shape is another than it has for
 * these sizes. */
int infer_sizes(const struct heddle_model *model, const struct heddle_array *const *arrays, size_t *sizes,
                struct text *error);

/* Whether a tensor has this shape for these sizes. */
int check_shape(const struct heddle_model *model, const struct tensors *tensors, uint64_t number, const int64_t *shape,
                const size_t *sizes, struct text *error);
#endif
