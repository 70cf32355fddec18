/* sizes.h - the sizes of one call of a model whose sizes lie in ranges. */
#ifndef HEDDLE_RUNNER_SIZES_H
#define HEDDLE_RUNNER_SIZES_H
#include "safetensors.h"

/* Reads from the shapes of the inputs what the sizes are. Returns NULL, or what is wrong: no input tells a size, or one
 * tells something out of its range. */
const char *sizes_find(const struct heddle_model *model, const struct tensor_file *file, size_t *sizes);

/* Tensors with the shapes that they have for these sizes; NULL without memory. */
struct heddle_tensor *tensors_at(const struct heddle_model *model, const struct heddle_tensor *tensors, uint64_t count,
                                 const size_t *sizes);
#endif
