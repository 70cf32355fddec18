/* indices.c - finds an element of an input that is outside the input's range. */
#include "indices.h"

static int64_t read_integer(uint32_t type, const void *elements, uint64_t i) {
  switch (type) {
  case HEDDLE_I64:
    return ((const int64_t *)elements)[i];
  case HEDDLE_I32:
    return ((const int32_t *)elements)[i];
  default:
    return ((const int8_t *)elements)[i];
  }
}

static uint64_t elements_of(const struct heddle_model *model, const struct heddle_tensor *tensor, const size_t *sizes) {
  uint64_t count = 1;
  uint32_t i;
  for (i = 0; i < tensor->rank; ++i)
    count *= (uint64_t)heddle_extent(model, tensor, i, sizes);
  return count;
}

/* Appends the position, such as "[0, 3]", of the element with the row-major index `index`. `count` is the number of
 * elements of the tensor. */
static void add_index(const struct heddle_model *model, const struct heddle_tensor *tensor, const size_t *sizes,
                      uint64_t index, uint64_t count, struct text *error) {
  uint32_t i;
  for (i = 0; i < tensor->rank; ++i) {
    count /= (uint64_t)heddle_extent(model, tensor, i, sizes);
    text_add(error, "%s%llu", i ? ", " : "[", (unsigned long long)(index / count));
    index %= count;
  }
  text_add(error, tensor->rank ? "]" : "[]");
}

int name_index(const struct heddle_model *model, const struct heddle_place *inputs, const size_t *sizes,
               struct text *error) {
  uint64_t i, j;
  for (i = 0; i < model->input_count; ++i) {
    const struct heddle_tensor *tensor = &model->inputs[i];
    int is_integer = tensor->type == HEDDLE_I64 || tensor->type == HEDDLE_I32 || tensor->type == HEDDLE_I8;
    if (!(tensor->flags & HEDDLE_RANGE) || !is_integer || !inputs[i].host)
      continue;
    uint64_t count = elements_of(model, tensor, sizes);
    for (j = 0; j < count; ++j) {
      int64_t value = read_integer(tensor->type, inputs[i].host, j);
      if (value >= tensor->low && value <= tensor->high)
        continue;
      text_add(error, "input '%s': element ", tensor->name);
      add_index(model, tensor, sizes, j, count, error);
      text_add(error, " is %lld, outside %lld..%lld", (long long)value, (long long)tensor->low,
               (long long)tensor->high);
      return 1;
    }
  }
  return 0;
}
