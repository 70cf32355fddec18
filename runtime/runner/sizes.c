/* sizes.c - the sizes of one call of a model whose sizes lie in ranges. */
#include "sizes.h"

#include <stdlib.h>

/* Whether an extent is the model's size of this number, or a multiple of it, and of no other. */
static int is_of(const struct heddle_model *model, const struct heddle_tensor *tensor, uint32_t dimension, uint64_t size) {
  if (!tensor->powers)
    return 0;
  uint64_t count = model->size_count + model->sum_count;
  for (uint64_t i = 0; i < count; ++i)
    if (tensor->powers[dimension * count + i] != (i == size))
      return 0;
  return 1;
}

/* The first input that tells a size, and what it tells. */
static const struct heddle_tensor *find_size(const struct heddle_model *model, const struct tensor_file *file,
                                             uint64_t size, uint64_t *value) {
  for (uint64_t i = 0; i < model->input_count; ++i) {
    const struct heddle_tensor *tensor = &model->inputs[i];
    const uint64_t *shape = tensor_file_shape(file, tensor);
    for (uint32_t d = 0; shape && d < tensor->rank; ++d)
      if (is_of(model, tensor, d, size) && shape[d] % (uint64_t)tensor->shape[d] == 0) {
        *value = shape[d] / (uint64_t)tensor->shape[d];
        return tensor;
      }
  }
  return NULL;
}

const char *sizes_find(const struct heddle_model *model, const struct tensor_file *file, size_t *sizes) {
  static char message[512];
  for (uint64_t i = 0; i < model->size_count; ++i) {
    const struct heddle_size *size = &model->sizes[i];
    uint64_t value;
    const struct heddle_tensor *tensor = find_size(model, file, i, &value);
    if (!tensor) {
      snprintf(message, sizeof message, "the file has no tensor that tells what '%.200s' is", size->name);
      return message;
    }
    if (value < (uint64_t)size->low || value > (uint64_t)size->high) {
      snprintf(message, sizeof message, "%.200s: %.200s is %llu, outside %lld..%lld", tensor->name, size->name,
               (unsigned long long)value, (long long)size->low, (long long)size->high);
      return message;
    }
    sizes[i] = (size_t)value;
  }
  return NULL;
}

struct heddle_tensor *tensors_at(const struct heddle_model *model, const struct heddle_tensor *tensors, uint64_t count,
                                 const size_t *sizes) {
  struct heddle_tensor *fixed = calloc(count + 1, sizeof *fixed);
  for (uint64_t i = 0; fixed && i < count; ++i) {
    int64_t *shape = calloc(tensors[i].rank + 1, sizeof *shape);
    if (!shape)
      return NULL;
    for (uint32_t d = 0; d < tensors[i].rank; ++d)
      shape[d] = (int64_t)heddle_extent(model, &tensors[i], d, sizes);
    fixed[i] = tensors[i];
    fixed[i].shape = shape;
    fixed[i].powers = NULL;
  }
  return fixed;
}
