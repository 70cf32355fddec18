/* sizes.c - the sizes of one call of a model whose sizes lie in ranges. */
#include "sizes.h"

#include <stdlib.h>

/* What the size of this number is multiplied by in an extent that is nothing else; 0 where it is something else. */
static uint64_t factor_of(const struct heddle_tensor *tensor, uint32_t dimension, uint64_t size) {
  if (tensor->shape[dimension] >= 0)
    return 0;
  const int64_t *code = tensor->extents[dimension].code;
  int is_product = tensor->extents[dimension].words == 6 && code[0] == HEDDLE_SIZE_NUMBER && code[1] > 0 &&
                   code[4] == HEDDLE_SIZE_MULTIPLY;
  if (!is_product && tensor->extents[dimension].words != 2)
    return 0;
  const int64_t *of = is_product ? code + 2 : code;
  return of[0] == HEDDLE_SIZE_OF_CALL && (uint64_t)of[1] == size ? (is_product ? (uint64_t)code[1] : 1) : 0;
}

/* The first input that tells a size, and what it tells. */
static const struct heddle_tensor *find_size(const struct heddle_model *model, const struct tensor_file *file,
                                             uint64_t size, uint64_t *value) {
  for (uint64_t i = 0; i < model->input_count; ++i) {
    const struct heddle_tensor *tensor = &model->inputs[i];
    const uint64_t *shape = tensor_file_shape(file, tensor);
    for (uint32_t d = 0; shape && d < tensor->rank; ++d) {
      uint64_t factor = factor_of(tensor, d, size);
      if (factor && shape[d] % factor == 0) {
        *value = shape[d] / factor;
        return tensor;
      }
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
      if ((shape[d] = heddle_extent(model, &tensors[i], d, sizes)) < 0)
        return NULL; /* more than any memory has */
    fixed[i] = tensors[i];
    fixed[i].shape = shape;
    fixed[i].extents = NULL;
  }
  return fixed;
}
