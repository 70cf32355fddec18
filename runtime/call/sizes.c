/* sizes.c - computes the sizes of a call from the shapes of its inputs.
 *
 * An extent determines a size if it is a linear expression of this size, and all other sizes in the expression are
 * known. For example, the extent past + new determines `new` once `past` is known. The first value that is found for a
 * size is used for all extents. A size whose range contains a single value has this value, because the shapes of the
 * model contain a number in its place. At the end, the shapes of all given inputs except states are compared with the
 * shapes at these sizes. */
#include "sizes.h"

/* An extent as a linear expression of one unknown size: factor * unknown + rest. */
struct linear {
  int64_t factor, rest;
};

static int is_number(const struct linear *value) { return value->factor == 0; }

/* Executes one operation with two operands and stores the result in *a. Returns 0 if the result is not linear or does
 * not fit into 64 bits. */
static int step(int64_t code, struct linear *a, const struct linear *b) {
  if (code == HEDDLE_SIZE_ADD)
    return heddle_size_step(code, &a->factor, b->factor) && heddle_size_step(code, &a->rest, b->rest);
  if (is_number(a) && is_number(b))
    return heddle_size_step(code, &a->rest, b->rest);
  if (code != HEDDLE_SIZE_MULTIPLY || !(is_number(a) || is_number(b)))
    return 0;
  int64_t times = is_number(a) ? a->rest : b->rest;
  if (is_number(a))
    *a = *b;
  return heddle_size_step(code, &a->factor, times) && heddle_size_step(code, &a->rest, times);
}

/* Converts an extent to a linear expression in the only size that it contains whose value is not known, and stores the
 * index of this size in *unknown. Returns 0 if the extent contains no such size or several, or is not linear. */
static int solve(const struct heddle_expression *extent, const size_t *sizes, uint64_t *unknown,
                 struct linear *result) {
  struct linear stack[HEDDLE_SIZE_STACK];
  uint64_t depth = 0, i;
  *unknown = UINT64_MAX;
  for (i = 0; i < extent->words; i += 2) {
    int64_t code = extent->code[i], number = extent->code[i + 1];
    if (code == HEDDLE_SIZE_NUMBER) {
      stack[depth++] = (struct linear){0, number};
    } else if (code == HEDDLE_SIZE_OF_CALL && sizes[number] != SIZE_MAX) {
      stack[depth++] = (struct linear){0, (int64_t)sizes[number]};
    } else if (code == HEDDLE_SIZE_OF_CALL) {
      if (*unknown != UINT64_MAX && *unknown != (uint64_t)number)
        return 0;
      *unknown = (uint64_t)number;
      stack[depth++] = (struct linear){1, 0};
    } else {
      --depth;
      if (!step(code, &stack[depth - 1], &stack[depth]))
        return 0;
    }
  }
  *result = stack[0];
  return *unknown != UINT64_MAX && !is_number(result);
}

/* If the dimension of this input determines a size, stores the size and sets *progress. `extent` is the extent of the
 * dimension in the call. Returns 0, with the reason in `error`, if no size in its range leads to this extent. */
static int read_extent(const struct heddle_model *model, uint64_t input, uint32_t dimension, int64_t extent,
                       size_t *sizes, int *progress, struct text *error) {
  const struct heddle_tensor *tensor = &model->inputs[input];
  struct linear expected;
  uint64_t unknown;
  if (tensor->state) /* the memory of a state may be larger than necessary, so it determines no size */
    return 1;
  if (tensor->shape[dimension] >= 0 || !solve(&tensor->extents[dimension], sizes, &unknown, &expected))
    return 1;
  const struct heddle_size *size = &model->sizes[unknown];
  int64_t rest = expected.rest == INT64_MIN ? INT64_MAX : -expected.rest, value = extent;
  if (!heddle_size_step(HEDDLE_SIZE_ADD, &value, rest) || value % expected.factor != 0) {
    text_add(error, "input '%s': the extent of dimension %u is %lld, which no value of the size '%s' gives",
             tensor->name, (unsigned)dimension, (long long)extent, size->name);
    return 0;
  }
  value /= expected.factor;
  if (value < size->low || value > size->high) {
    text_add(error, "input '%s': %s is %lld, outside %lld..%lld", tensor->name, size->name, (long long)value,
             (long long)size->low, (long long)size->high);
    return 0;
  }
  sizes[unknown] = (size_t)value;
  *progress = 1;
  return 1;
}

/* Appends the sizes that the extent depends on, for example "; a is 2, b is 3". */
static void add_sizes(const struct heddle_model *model, const struct heddle_expression *extent, const size_t *sizes,
                      struct text *error) {
  uint64_t size, i;
  const char *before = "; ";
  for (size = 0; size < model->size_count; ++size)
    for (i = 0; i < extent->words; i += 2)
      if (extent->code[i] == HEDDLE_SIZE_OF_CALL && (uint64_t)extent->code[i + 1] == size) {
        text_add(error, "%s%s is %llu", before, model->sizes[size].name, (unsigned long long)sizes[size]);
        before = ", ";
        break;
      }
}

int check_shape(const struct heddle_model *model, const struct tensors *tensors, uint64_t number, const int64_t *shape,
                const size_t *sizes, struct text *error) {
  const struct heddle_tensor *tensor = &tensors->at[number];
  uint32_t i, j;
  for (i = 0; i < tensor->rank; ++i) {
    if (heddle_extent(model, tensor, i, sizes) == shape[i])
      continue;
    text_add(error, "%s '%s': expected shape [", tensors->kind, tensor->name);
    for (j = 0; j < tensor->rank; ++j)
      text_add(error, "%s%lld", j ? ", " : "", (long long)heddle_extent(model, tensor, j, sizes));
    text_add(error, "], found ");
    text_add_shape(error, shape, tensor->rank);
    if (tensor->shape[i] < 0)
      add_sizes(model, &tensor->extents[i], sizes, error);
    return 0;
  }
  return 1;
}

int infer_sizes(const struct heddle_model *model, const struct heddle_array *const *arrays, size_t *sizes,
                struct text *error) {
  const struct tensors inputs = inputs_of(model);
  uint64_t i;
  uint32_t d;
  int progress = model->size_count > 0;
  for (i = 0; i < model->size_count; ++i)
    if (sizes[i] == SIZE_MAX && model->sizes[i].low == model->sizes[i].high)
      sizes[i] = (size_t)model->sizes[i].low;
  while (progress) {
    progress = 0;
    for (i = 0; i < inputs.count; ++i)
      for (d = 0; arrays[i] && d < arrays[i]->rank; ++d)
        if (!read_extent(model, i, d, arrays[i]->shape[d], sizes, &progress, error))
          return 0;
  }
  for (i = 0; i < model->size_count; ++i)
    if (sizes[i] == SIZE_MAX) {
      text_add(error, "the given inputs do not determine the size '%s'", model->sizes[i].name);
      return 0;
    }
  for (i = 0; i < inputs.count; ++i)
    if (arrays[i] && !inputs.at[i].state && !check_shape(model, &inputs, i, arrays[i]->shape, sizes, error))
      return 0;
  return 1;
}
