/* call.c - calls a model with tensors that the caller passes by name. */
#include "heddle/call.h"

#include "heddle/device.h"
#include "indices.h"
#include "sequences.h"
#include "sizes.h"

#include <stdlib.h>
#include <string.h>

struct heddle_call {
  const struct heddle_instance *instance;
  const struct heddle_model *model;
  int is_bound;                      /* whether inputs are bound, so the call can run */
  size_t *sizes;                     /* the value of each size for the bound inputs */
  size_t *chosen;                    /* the value of each size that the caller set, else SIZE_MAX */
  size_t *largest;                   /* the largest value of each size */
  int64_t **shapes;                  /* the shape of each output at these sizes */
  const struct heddle_array **given; /* the caller's array for each input or output, while bind or run checks them */
  /* The memory of the elements of each input and output; for an input that is a state, its element of `memories`. */
  struct heddle_place *inputs, *outputs;
  struct heddle_state_memory *memories;  /* for each input that is a state, the memory of the state */
  const void **input_pointers; /* the addresses of the inputs and outputs, which code for a CPU takes */
  void **output_pointers;
  void *arena; /* the memory for intermediate results, of arena_size bytes */
  size_t arena_size;
  char error[512];
};

/* A block of memory at `at` that is divided into parts, and the number of bytes of its parts so far. If `at` is NULL,
 * the bytes are only counted. */
struct parts {
  char *at;
  size_t size;
};

/* Returns the address of a new part for `count` elements of `size` bytes each; NULL if the bytes are only counted. */
static void *part(struct parts *parts, uint64_t count, size_t size) {
  void *begin = parts->at ? parts->at + parts->size : NULL;
  parts->size += ((size_t)count * size + 7) / 8 * 8;
  return begin;
}

/* Adds the parts of `call`: the struct itself and its arrays. */
static void lay_out(struct parts *parts, const struct heddle_model *model, struct heddle_call *call) {
  uint64_t i, largest = model->input_count > model->output_count ? model->input_count : model->output_count;
  part(parts, 1, sizeof *call);
  call->sizes = part(parts, model->size_count, sizeof *call->sizes);
  call->chosen = part(parts, model->size_count, sizeof *call->chosen);
  call->largest = part(parts, model->size_count, sizeof *call->largest);
  call->given = part(parts, largest, sizeof *call->given);
  call->inputs = part(parts, model->input_count, sizeof *call->inputs);
  call->outputs = part(parts, model->output_count, sizeof *call->outputs);
  call->memories = part(parts, model->state_count ? model->input_count : 0, sizeof *call->memories);
  call->input_pointers = part(parts, model->input_count, sizeof *call->input_pointers);
  call->output_pointers = part(parts, model->output_count, sizeof *call->output_pointers);
  call->shapes = part(parts, model->output_count, sizeof *call->shapes);
  for (i = 0; i < model->output_count; ++i) {
    int64_t *shape = part(parts, (uint64_t)model->outputs[i].rank + 1, sizeof *shape);
    if (parts->at)
      call->shapes[i] = shape;
  }
}

struct heddle_call *heddle_call_create(const struct heddle_instance *instance) {
  const struct heddle_model *model = heddle_instance_model(instance);
  struct parts parts = {NULL, 0};
  struct heddle_call counted, *call;
  uint64_t i;
  lay_out(&parts, model, &counted);
  call = calloc(1, parts.size);
  if (!call)
    return NULL;
  parts.at = (char *)call;
  parts.size = 0;
  lay_out(&parts, model, call);
  call->instance = instance;
  call->model = model;
  for (i = 0; i < model->size_count; ++i) {
    call->chosen[i] = SIZE_MAX;
    call->largest[i] = (size_t)model->sizes[i].high;
  }
  return call;
}

void heddle_call_destroy(struct heddle_call *call) {
  if (!call)
    return;
  free(call->arena);
  free(call);
}

static struct text begin_error(struct heddle_call *call) { return text_in(call->error, sizeof call->error); }

enum heddle_status heddle_call_set_size(struct heddle_call *call, const char *name, size_t value) {
  struct text error = begin_error(call);
  uint64_t i;
  for (i = 0; i < call->model->size_count; ++i) {
    const struct heddle_size *size = &call->model->sizes[i];
    if (!name || strcmp(name, size->name) != 0)
      continue;
    if (value == SIZE_MAX || (value >= (uint64_t)size->low && value <= (uint64_t)size->high)) {
      call->chosen[i] = value;
      return HEDDLE_OK;
    }
    text_add(&error, "%s is %llu, outside %lld..%lld", name, (unsigned long long)value, (long long)size->low,
             (long long)size->high);
    return HEDDLE_INVALID_ARGUMENT;
  }
  text_add(&error, "no size that lies in a range is called '%s'", name ? name : "");
  for (i = 0; i < call->model->size_count; ++i)
    text_add(&error, i ? ", '%s'" : "; names: '%s'", call->model->sizes[i].name);
  return HEDDLE_INVALID_ARGUMENT;
}

/* Stores the array of each tensor in `given`, or NULL if the tensor has no array. Returns 0, with the reason in
 * `error`, if an array has no tensor, another rank or a negative extent, or if two arrays have the same tensor. */
static int sort_arrays(const struct tensors *tensors, const struct heddle_array *arrays, size_t count,
                       const struct heddle_array **given, struct text *error) {
  uint64_t i, found;
  for (i = 0; i < tensors->count; ++i)
    given[i] = NULL;
  for (i = 0; i < count; ++i) {
    if (!find_tensor(tensors, &arrays[i], i, &found, error) || !check_rank(tensors, found, &arrays[i], error))
      return 0;
    if (given[found]) {
      text_add(error, "%s '%s' is given twice", tensors->kind, arrays[i].name);
      return 0;
    }
    given[found] = &arrays[i];
  }
  return 1;
}

/* Checks the presence, types, strides and memory of the arrays in call->given, whose shapes the caller has checked.
 * Stores the memory of each tensor in `places`. Returns 0, with the reason in `error`, if a check fails. */
static int place_arrays(const struct heddle_call *call, const struct tensors *tensors, struct heddle_place *places,
                        struct text *error) {
  const struct heddle_device *device = heddle_instance_device(call->instance);
  static const struct heddle_place absent;
  static uint64_t nothing[8]; /* the address of tensors without elements, since NULL would mean an absent tensor */
  uint64_t i;
  for (i = 0; i < tensors->count; ++i) {
    const struct heddle_array *array = call->given[i];
    if (!check_presence(tensors, i, array != NULL, error) ||
        (array && !check_elements(tensors, i, array, device, error)))
      return 0;
    places[i] = array ? array->place : absent;
    if (array && !places[i].host && !places[i].memory)
      places[i].host = nothing;
  }
  return 1;
}

enum heddle_status heddle_infer_sizes(const struct heddle_model *model, const struct heddle_array *inputs, size_t count,
                                      size_t *sizes, char *error, size_t error_size) {
  const struct tensors tensors = inputs_of(model);
  struct text text = text_in(error, error_size);
  const struct heddle_array **given = calloc((size_t)model->input_count + 1, sizeof *given);
  int done = 0;
  if (!given)
    text_add(&text, "out of memory");
  else
    done = sort_arrays(&tensors, inputs, count, given, &text) && infer_sizes(model, given, sizes, &text);
  free(given);
  return done ? HEDDLE_OK : HEDDLE_INVALID_ARGUMENT;
}

enum heddle_status heddle_call_bind(struct heddle_call *call, const struct heddle_array *inputs, size_t count) {
  const struct heddle_model *model = call->model;
  const struct tensors tensors = inputs_of(model);
  struct text error = begin_error(call);
  uint64_t i;
  uint32_t d;
  call->is_bound = 0;
  if (!sort_arrays(&tensors, inputs, count, call->given, &error))
    return HEDDLE_INVALID_ARGUMENT;
  /* The presence is checked before the sizes, so the error names the missing input and not an unknown size. */
  for (i = 0; i < model->input_count; ++i)
    if (!check_presence(&tensors, i, call->given[i] != NULL, &error))
      return HEDDLE_INVALID_ARGUMENT;
  memcpy(call->sizes, call->chosen, (size_t)model->size_count * sizeof *call->sizes);
  if (!infer_sizes(model, call->given, call->sizes, &error) || !place_arrays(call, &tensors, call->inputs, &error))
    return HEDDLE_INVALID_ARGUMENT;
  for (i = 0; i < model->input_count; ++i) {
    call->input_pointers[i] = call->inputs[i].host;
    if (model->inputs[i].state) {
      call->memories[i].memory = call->inputs[i].host;
      call->memories[i].size = (size_t)call->given[i]->shape[0];
      call->input_pointers[i] = &call->memories[i];
      call->inputs[i].host = &call->memories[i]; /* code for a device takes the address of this struct, too */
    }
  }
  for (i = 0; i < model->output_count; ++i)
    for (d = 0; d < model->outputs[i].rank; ++d)
      if ((call->shapes[i][d] = heddle_extent(model, &model->outputs[i], d, call->sizes)) < 0) {
        text_add(&error, "output '%s': the size of dimension %u does not fit into 64 bits", model->outputs[i].name,
                 (unsigned)d);
        return HEDDLE_INVALID_ARGUMENT;
      }
  call->is_bound = 1;
  return HEDDLE_OK;
}

const size_t *heddle_call_sizes(const struct heddle_call *call) { return call->is_bound ? call->sizes : NULL; }

const int64_t *heddle_call_output_shape(const struct heddle_call *call, size_t output) {
  return call->is_bound && output < call->model->output_count ? call->shapes[output] : NULL;
}

/* Makes the arena at least `needed` bytes large; 0 means that a size is out of its range. If the arena must grow, it
 * grows by at least a half, so slowly growing sizes do not reallocate it in each call. */
static enum heddle_status grow(struct heddle_call *call, size_t needed, struct text *error) {
  size_t size = call->arena_size + call->arena_size / 2;
  if (needed == 0) {
    text_add(error, "%s: a size is out of its range", call->model->name);
    return HEDDLE_INVALID_ARGUMENT;
  }
  if (call->arena_size >= needed)
    return HEDDLE_OK;
  free(call->arena); /* its contents are not needed after a run */
  size = size > needed ? size : needed;
  call->arena = malloc(size);
  if (!call->arena)
    call->arena = malloc(size = needed);
  call->arena_size = call->arena ? size : 0;
  if (call->arena)
    return HEDDLE_OK;
  text_add(error, "out of memory: %s needs an arena of %llu bytes", call->model->name, (unsigned long long)needed);
  return HEDDLE_ARENA_TOO_SMALL;
}

/* Returns the arena size of a call with these sizes. */
static size_t arena_size(const struct heddle_call *call, const size_t *sizes, size_t threads) {
  return call->model->arena_size(sizes, threads ? threads : 1);
}

/* Returns the maximum of the arena sizes at the largest values of all combinations of classes of the sizes from `first`
 * on. The sizes before `first` keep their values in call->largest. */
static size_t largest_arena(struct heddle_call *call, uint64_t first, size_t threads) {
  const struct heddle_size *size = &call->model->sizes[first];
  size_t most, high, other;
  uint64_t i;
  if (first == call->model->size_count)
    return arena_size(call, call->largest, threads);
  most = largest_arena(call, first + 1, threads);
  high = call->largest[first];
  for (i = 1; i < size->class_count; ++i) {
    call->largest[first] = (size_t)size->classes[i] - 1;
    other = largest_arena(call, first + 1, threads);
    most = other > most ? other : most;
  }
  call->largest[first] = high;
  return most;
}

enum heddle_status heddle_call_reserve(struct heddle_call *call, const size_t *sizes, size_t threads) {
  struct text error = begin_error(call);
  size_t needed = sizes ? arena_size(call, sizes, threads) : largest_arena(call, 0, threads);
  return grow(call, needed, &error);
}

void *heddle_call_arena(const struct heddle_call *call, size_t *size) {
  *size = call->arena_size;
  return call->arena;
}

/* If a call of the model failed, describes its error in `error`. */
static void explain(struct heddle_call *call, enum heddle_status status, struct text *error) {
  const struct heddle_device *device = heddle_instance_device(call->instance);
  if (status == HEDDLE_OK ||
      (status == HEDDLE_INDEX_OUT_OF_RANGE && name_index(call->model, call->inputs, call->sizes, error)))
    return;
  text_add(error, "%s: %s", call->model->name, heddle_status_text((int)status));
  if (device && heddle_status_of_device((int)status))
    text_add(error, ": %s", device->error(device->self));
  if (status == HEDDLE_STATE_FULL || status == HEDDLE_STATE_NOT_FILLED)
    name_sequence(call->model, call->inputs, call->sizes, status, error);
}

enum heddle_status heddle_call_run(struct heddle_call *call, const struct heddle_array *outputs, size_t count,
                                   const struct heddle_executor *executor) {
  const struct heddle_model *model = call->model;
  const struct tensors tensors = outputs_of(model);
  struct text error = begin_error(call);
  const void *state = heddle_instance_state(call->instance);
  enum heddle_status status;
  uint64_t i;
  if (!call->is_bound) {
    text_add(&error, "the inputs are not bound; bind them before the run");
    return HEDDLE_INVALID_ARGUMENT;
  }
  if (!sort_arrays(&tensors, outputs, count, call->given, &error))
    return HEDDLE_INVALID_ARGUMENT;
  for (i = 0; i < model->output_count; ++i)
    if (call->given[i] && !check_shape(model, &tensors, i, call->given[i]->shape, call->sizes, &error))
      return HEDDLE_INVALID_ARGUMENT;
  if (!place_arrays(call, &tensors, call->outputs, &error))
    return HEDDLE_INVALID_ARGUMENT;
  status = grow(call, arena_size(call, call->sizes, executor ? executor->threads : 1), &error);
  if (status != HEDDLE_OK)
    return status;
  for (i = 0; i < model->output_count; ++i)
    call->output_pointers[i] = call->outputs[i].host;
  status = model->device
               ? model->run_on_device(state, call->sizes, call->inputs, call->outputs, call->arena, call->arena_size)
               : model->run(state, call->sizes, call->input_pointers, call->output_pointers, call->arena,
                            call->arena_size, executor);
  explain(call, status, &error);
  return status;
}

const char *heddle_call_error(const struct heddle_call *call) { return call->error; }

const char *heddle_status_words(int status) { return heddle_status_text(status); }
