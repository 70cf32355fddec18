/* model.c - checks a library's description and copies it into the structs of this version. */
#include "heddle/library.h"

#include <stdlib.h>
#include <string.h>

/* The number of bytes of a struct up to and including a member. */
#define END_OF(struct_name, member) \
  (offsetof(struct struct_name, member) + sizeof(((struct struct_name *)0)->member))

/* The minimum size of each struct, which ends with the last member that exists in every version of ABI 3. */
static const uint32_t min_model = END_OF(heddle_model, run_on_device);
static const uint32_t min_variant = END_OF(heddle_variant, target);
static const uint32_t min_size = END_OF(heddle_size, high);
static const uint32_t min_tensor = END_OF(heddle_tensor, state);
static const uint32_t min_state = END_OF(heddle_state, copy);

/* No real model exceeds these numbers, so a description with larger numbers is refused. */
static const uint64_t max_elements = 1 << 20, max_words = 1 << 20;
static const uint32_t max_rank = 1 << 10;

/* Copies the arrays of a library into a block of memory that begins with the model. The structs of the library may be
 * longer or shorter than the structs of this version. */
struct copier {
  char *at;    /* the block; NULL: bytes are counted but not copied */
  size_t size; /* the number of bytes so far */
};

/* Appends `count` structs of `size` bytes, which are `stride` bytes apart in the library, to the block. Members that
 * the library lacks become 0. Returns the address in the block; NULL if bytes are only counted. */
static void *copy(struct copier *to, const void *from, uint64_t count, uint32_t stride, size_t size) {
  char *begin = to->at ? to->at + to->size : NULL;
  uint64_t i;
  size_t known = stride < size ? stride : size;
  to->size += (size_t)count * size;
  for (i = 0; begin && i < count; ++i) {
    memset(begin + i * size, 0, size);
    memcpy(begin + i * size, (const char *)from + i * stride, known);
  }
  return begin;
}

/* Returns state `i` of a description that is not copied yet. */
static const struct heddle_state *described_state(const struct heddle_model *from, uint64_t i) {
  return (const struct heddle_state *)((const char *)from->states + i * from->state_stride);
}

/* Copies the states and their tensors, which have the same stride as the library's other tensors. */
static void copy_states(struct copier *to, const struct heddle_model *from, struct heddle_model *model) {
  struct heddle_state *states = copy(to, from->states, from->state_count, from->state_stride, sizeof *states);
  uint64_t i;
  for (i = 0; i < from->state_count; ++i) {
    const struct heddle_state *state = described_state(from, i);
    void *tensors = copy(to, state->tensors, state->tensor_count, from->tensor_stride, sizeof *state->tensors);
    if (states)
      states[i].tensors = tensors;
  }
  model->states = states;
}

static void copy_all(struct copier *to, const struct heddle_model *from, struct heddle_model *model) {
  model->variants = copy(to, from->variants, from->variant_count, from->variant_stride, sizeof *from->variants);
  model->sizes = copy(to, from->sizes, from->size_count, from->size_stride, sizeof *from->sizes);
  model->inputs = copy(to, from->inputs, from->input_count, from->tensor_stride, sizeof *from->inputs);
  model->outputs = copy(to, from->outputs, from->output_count, from->tensor_stride, sizeof *from->outputs);
  copy_states(to, from, model);
}

/* Whether the code leaves one integer on the stack and uses only existing sizes. Its evaluation may still overflow. */
static int is_expression(const struct heddle_expression *expression, uint64_t size_count) {
  uint64_t depth = 0, i;
  if (!expression->code || expression->words % 2 || expression->words > max_words)
    return 0;
  for (i = 0; i < expression->words; i += 2) {
    int64_t code = expression->code[i], number = expression->code[i + 1];
    if (code == HEDDLE_SIZE_OF_CALL && (number < 0 || (uint64_t)number >= size_count))
      return 0;
    if (code == HEDDLE_SIZE_NUMBER || code == HEDDLE_SIZE_OF_CALL) {
      if (++depth > HEDDLE_SIZE_STACK)
        return 0;
    } else if (code < HEDDLE_SIZE_ADD || code > HEDDLE_SIZE_EQUAL || depth-- < 2) {
      return 0;
    }
  }
  return depth == 1;
}

/* Returns the reason why a tensor is invalid, or NULL. `max_states` is the largest valid value of tensor->state. */
static const char *why_not_tensor(const struct heddle_tensor *tensor, const struct heddle_model *model,
                                  uint64_t max_states) {
  uint32_t i;
  if (!tensor->name || tensor->rank > max_rank || (tensor->rank && !tensor->shape))
    return "describes a tensor without a name or a shape";
  if (!heddle_type_size(tensor->type))
    return "has a tensor of a type that this version of heddle does not know";
  if (tensor->format || tensor->state > max_states ||
      (tensor->state && (tensor->type != HEDDLE_I8 || tensor->rank != 1)))
    return "has a tensor that is stored in a way that this version of heddle does not know";
  for (i = 0; i < tensor->rank; ++i)
    if (tensor->shape[i] < 0 && (!tensor->extents || !is_expression(&tensor->extents[i], model->size_count)))
      return "describes an extent that this version of heddle cannot compute";
  return NULL;
}

/* Returns the reason why a state is invalid, or NULL. */
static const char *why_not_state(const struct heddle_state *state, const struct heddle_model *model) {
  const struct heddle_expression *const expressions[] = {&state->batch_size, &state->capacity, &state->rows,
                                                         &state->filled};
  const char *reason = NULL;
  uint64_t i;
  int is_computed = 1;
  if (!state->name || !state->size || !state->init || !state->copy ||
      (model->device && (!state->deinit || !state->device_memory)))
    return "describes a state without a name or a function";
  if (state->past != UINT64_MAX && state->past >= model->input_count)
    return "describes a state whose past is not an input of the model";
  for (i = 0; i < sizeof expressions / sizeof *expressions; ++i)
    is_computed = is_computed && is_expression(expressions[i], model->size_count);
  for (i = 0; i < state->tensor_count && !reason; ++i) {
    is_computed = is_computed && is_expression(&state->offsets[i], model->size_count);
    reason = why_not_tensor(&state->tensors[i], model, 0);
  }
  return reason || is_computed ? reason : "describes a state that this version of heddle cannot compute";
}

/* Returns the reason why an element of the copied arrays is invalid, or NULL. */
static const char *why_not_arrays(const struct heddle_model *model) {
  uint64_t i;
  const char *reason = NULL;
  for (i = 0; i < model->variant_count; ++i)
    if (!model->variants[i].name || !model->variants[i].target)
      return "describes code without a name";
  for (i = 0; i < model->size_count; ++i)
    if (!model->sizes[i].name || model->sizes[i].low < 0 || model->sizes[i].low > model->sizes[i].high)
      return "describes a size without a name or a range";
  for (i = 0; i < model->input_count && !reason; ++i)
    reason = why_not_tensor(&model->inputs[i], model, model->state_count);
  for (i = 0; i < model->output_count && !reason; ++i)
    reason = why_not_tensor(&model->outputs[i], model, 0);
  for (i = 0; i < model->state_count && !reason; ++i)
    reason = why_not_state(&model->states[i], model);
  return reason;
}

/* Returns the reason why a description cannot be copied, or NULL. */
static const char *why_not(const struct heddle_model *described) {
  uint64_t i;
  if (described->abi != HEDDLE_ABI_VERSION || described->struct_size < min_model)
    return "was written for another version of heddle";
  if (described->needs & ~(uint64_t)HEDDLE_NEEDS_STATES_ON_DEVICE)
    return "needs a feature that this version of heddle does not support";
  if (!described->name || !described->source || !described->variant || !described->arena_size || !described->run ||
      (described->device ? !described->init_on_device || !described->deinit || !described->run_on_device
                         : !described->init))
    return "describes a model without a name or a function";
  if (described->variant_stride < min_variant || described->size_stride < min_size ||
      described->tensor_stride < min_tensor || described->variant_count > max_elements ||
      described->size_count > max_elements || described->input_count > max_elements ||
      described->output_count > max_elements || (described->variant_count && !described->variants) ||
      (described->size_count && !described->sizes) || (described->input_count && !described->inputs) ||
      (described->output_count && !described->outputs))
    return "has an invalid array in its description";
  if (described->state_count &&
      (described->state_stride < min_state || described->state_count > max_elements || !described->states))
    return "has an invalid list of states in its description";
  for (i = 0; i < described->state_count; ++i)
    if (described_state(described, i)->tensor_count > max_elements ||
        (described_state(described, i)->tensor_count &&
         (!described_state(described, i)->tensors || !described_state(described, i)->offsets)))
      return "has an invalid list of states in its description";
  return NULL;
}

struct heddle_model *heddle_model_read(const struct heddle_model *described, const char **reason) {
  struct copier count = {NULL, 0}, into;
  struct heddle_model counted, *model;
  *reason = why_not(described);
  if (*reason)
    return NULL;
  copy_all(&count, described, &counted);
  into.at = malloc(sizeof *model + count.size);
  into.size = sizeof *model;
  model = (struct heddle_model *)into.at;
  if (!model) {
    *reason = "out of memory";
    return NULL;
  }
  memset(model, 0, sizeof *model);
  memcpy(model, described, described->struct_size < sizeof *model ? described->struct_size : sizeof *model);
  copy_all(&into, described, model);
  model->struct_size = sizeof *model;
  model->variant_stride = sizeof *model->variants;
  model->size_stride = sizeof *model->sizes;
  model->tensor_stride = sizeof *model->inputs;
  model->state_stride = sizeof *model->states;
  *reason = why_not_arrays(model);
  if (!*reason)
    return model;
  free(model);
  return NULL;
}

void heddle_model_free(struct heddle_model *model) { free(model); }
