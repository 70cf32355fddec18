/* arrays.c - checks whether a caller's arrays fit the tensors of a model. */
#include "arrays.h"

#include <string.h>

struct tensors inputs_of(const struct heddle_model *model) {
  struct tensors inputs = {"input", model->inputs, model->input_count};
  return inputs;
}

struct tensors outputs_of(const struct heddle_model *model) {
  struct tensors outputs = {"output", model->outputs, model->output_count};
  return outputs;
}

static const char *type_name(uint32_t type) {
  static const char *const names[] = {"an unknown type", "f32", "f64", "f16", "bf16", "i64", "i32", "i8", "bool"};
  return type < sizeof names / sizeof *names ? names[type] : names[0];
}

uint64_t count_elements(const int64_t *shape, uint32_t rank) {
  uint64_t count = 1;
  uint32_t i;
  for (i = 0; i < rank; ++i)
    if (shape[i] <= 0)
      return 0;
  for (i = 0; i < rank; ++i) {
    if (count > UINT64_MAX / (uint64_t)shape[i])
      return UINT64_MAX;
    count *= (uint64_t)shape[i];
  }
  return count;
}

int find_tensor(const struct tensors *tensors, const struct heddle_array *array, uint64_t hint, uint64_t *found,
                struct text *error) {
  uint64_t i;
  if (!array->name) {
    text_add(error, "an %s without a name is given", tensors->kind);
    return 0;
  }
  for (i = 0; i < tensors->count; ++i) {
    *found = (hint + i) % tensors->count;
    if (strcmp(array->name, tensors->at[*found].name) == 0)
      return 1;
  }
  text_add(error, "no %s is called '%s'", tensors->kind, array->name);
  for (i = 0; i < tensors->count; ++i)
    text_add(error, i ? ", '%s'" : "; names: '%s'", tensors->at[i].name);
  return 0;
}

int check_rank(const struct tensors *tensors, uint64_t number, const struct heddle_array *array, struct text *error) {
  const struct heddle_tensor *tensor = &tensors->at[number];
  uint32_t i;
  if (array->rank != tensor->rank || (array->rank && !array->shape)) {
    text_add(error, "%s '%s': expected %u dimension%s, found %u", tensors->kind, tensor->name, (unsigned)tensor->rank,
             tensor->rank == 1 ? "" : "s", array->shape ? (unsigned)array->rank : 0u);
    return 0;
  }
  for (i = 0; i < array->rank; ++i)
    if (array->shape[i] < 0) {
      text_add(error, "%s '%s': the extent of dimension %u is negative: %lld", tensors->kind, tensor->name, (unsigned)i,
               (long long)array->shape[i]);
      return 0;
    }
  return 1;
}

/* Whether the array's elements are contiguous in row-major order. The stride of a dimension of extent 1 is not checked,
 * since no access uses it. */
static int is_dense(const struct heddle_array *array) {
  int64_t expected = 1;
  uint32_t i;
  if (!array->strides || count_elements(array->shape, array->rank) == 0)
    return 1;
  for (i = array->rank; i-- > 0; expected *= array->shape[i])
    if (array->shape[i] != 1 && array->strides[i] != expected)
      return 0;
  return 1;
}

int check_elements(const struct tensors *tensors, uint64_t number, const struct heddle_array *array,
                   const struct heddle_device *device, struct text *error) {
  const struct heddle_tensor *tensor = &tensors->at[number];
  const struct heddle_place *place = &array->place;
  uint64_t size = heddle_type_size(tensor->type), count = count_elements(array->shape, array->rank);
  if (array->type != tensor->type)
    text_add(error, "%s '%s': expected elements of type %s, found %s", tensors->kind, tensor->name,
             type_name(tensor->type), type_name(array->type));
  else if (count > (uint64_t)PTRDIFF_MAX / size)
    text_add(error, "%s '%s': it has more elements than memory can hold", tensors->kind, tensor->name);
  else if (!is_dense(array)) {
    text_add(error, "%s '%s': expected dense elements in row-major order, found strides ", tensors->kind, tensor->name);
    text_add_shape(error, array->strides, array->rank);
    text_add(error, " for shape ");
    text_add_shape(error, array->shape, array->rank);
  } else if (place->memory && !device)
    text_add(error, "%s '%s': its elements are in memory of a device, but the model's code is for a CPU", tensors->kind,
             tensor->name);
  else if (place->memory && place->host)
    text_add(error, "%s '%s': it has an address on the host and one on a device, expected one of them", tensors->kind,
             tensor->name);
  else if (!place->memory && !place->host && count)
    text_add(error, "%s '%s': the pointer to its elements is NULL", tensors->kind, tensor->name);
  else if ((place->memory ? place->offset : (uintptr_t)place->host) % size)
    text_add(error, "%s '%s': its elements are not aligned to %u bytes, as %s requires", tensors->kind, tensor->name,
             (unsigned)size, type_name(tensor->type));
  else
    return 1;
  return 0;
}

int check_presence(const struct tensors *tensors, uint64_t number, int is_given, struct text *error) {
  if (is_given || tensors->at[number].flags & HEDDLE_OPTIONAL)
    return 1;
  text_add(error, "%s '%s' is missing", tensors->kind, tensors->at[number].name);
  return 0;
}
