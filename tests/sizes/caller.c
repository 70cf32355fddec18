/* caller.c - functions with which library.py calls a compiled library through ctypes. Their arguments are only numbers
 * and pointers, so that the structs of heddle/model.h need not be declared in Python. */
#include "heddle/device.h"
#include "heddle/library.h"

#include <stdlib.h>

struct caller {
  struct heddle_library *library;
  const struct heddle_model *model; /* the description in the library */
  struct heddle_device *device;     /* NULL if the code is for the CPU */
  uint64_t state[12];               /* the memory of the initialised model */
};

/* Opens the device, if the code is for a device, and initialises the model. */
static enum heddle_status start(struct caller *caller, char *error, size_t error_size) {
  const struct heddle_model *model = caller->model;
  if (!model->device)
    return model->init(caller->state, NULL, NULL, 0);
#ifdef SIZES_WITH_DEVICES
  caller->device = heddle_device_open(model->device, error, error_size);
  return caller->device ? model->init_on_device(caller->state, NULL, 0, caller->device) : HEDDLE_DEVICE_ERROR;
#else
  return HEDDLE_UNSUPPORTED_DEVICE;
#endif
}

/* Opens the library, which stays open until the process ends. Returns NULL on failure. `error` is then the reason, or
 * unchanged if the initialisation failed. */
struct caller *caller_open(const char *path, char *error, size_t error_size) {
  struct caller *caller = calloc(1, sizeof *caller);
  if (!caller || !(caller->library = heddle_library_open(path, error, error_size)))
    return NULL;
  caller->model = heddle_library_model(caller->library);
  return start(caller, error, error_size) == HEDDLE_OK ? caller : NULL;
}

/* These functions return the name of a size or input, or NULL if there is none with this number. */
const char *caller_size_name(const struct caller *caller, uint64_t number) {
  return number < caller->model->size_count ? caller->model->sizes[number].name : NULL;
}
const char *caller_input_name(const struct caller *caller, uint64_t number) {
  return number < caller->model->input_count ? caller->model->inputs[number].name : NULL;
}

/* These functions describe the first output: its enum heddle_type, its rank, and its extents for given sizes, which are
 * -1 where heddle_extent fails. */
uint32_t caller_output_type(const struct caller *caller) { return caller->model->outputs[0].type; }
uint32_t caller_output_rank(const struct caller *caller) { return caller->model->outputs[0].rank; }
int64_t caller_output_extent(const struct caller *caller, uint32_t dimension, const size_t *sizes) {
  return heddle_extent(caller->model, &caller->model->outputs[0], dimension, sizes);
}

/* Runs the model once, on one thread, and writes its first output. `sizes` and `inputs` are in the order of the model.
 * Returns the text of an error, or NULL for success. */
const char *caller_run(const struct caller *caller, const size_t *sizes, const void *const *inputs, void *output) {
  size_t bytes = caller->model->arena_size(sizes, 1);
  if (!bytes)
    return "these sizes have no arena";
  void *arena = malloc(bytes);
  if (!arena)
    return "no memory for the arena";
  enum heddle_status status = caller->model->run(caller->state, sizes, inputs, &output, arena, bytes, NULL);
  free(arena);
  return status == HEDDLE_OK ? NULL : heddle_status_text(status);
}
