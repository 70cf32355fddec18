/* instance.c - initialises models. */
#include "heddle/instance.h"

#include "call/text.h"
#include "heddle/device.h"
#include "heddle/library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct heddle_instance {
  struct heddle_model *model;
  const struct heddle_device *device;
  void *mapped; /* the mapped file of the weights, or NULL */
  size_t mapped_size; /* bytes */
  int on_device; /* whether the model was initialised on a device, so deinit must be called */
  uint64_t state[]; /* heddle_model.instance_size bytes, which the functions of heddle_model take as `model` */
};

/* Maps the file of the weights. Returns 0, with the reason in `error`, on failure. */
static int map_weights(struct heddle_instance *instance, const char *path, struct text *error) {
  struct stat status;
  const char *reason = NULL;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0 || fstat(file, &status) != 0)
    reason = strerror(errno);
  else if (!S_ISREG(status.st_mode))
    reason = "not a regular file";
  else if (status.st_size == 0)
    reason = "the file is empty";
  if (!reason) {
    void *mapped = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped == MAP_FAILED) {
      reason = strerror(errno);
    } else {
      instance->mapped = mapped;
      instance->mapped_size = (size_t)status.st_size;
    }
  }
  if (file >= 0)
    close(file);
  if (reason)
    text_add(error, "%s: %s", path, reason);
  return !reason;
}

/* Returns whether the options suit the model; if not, writes the reason to `error`. */
static int check_options(const struct heddle_model *model, const struct heddle_instance_options *options,
                         struct text *error) {
  uint64_t i;
  int is_known = !options->variant;
  for (i = 0; i < model->variant_count; ++i)
    is_known = is_known || strcmp(options->variant, model->variants[i].name) == 0;
  if (!is_known) {
    text_add(error, "%s: it has no code for %s; it has code for", model->name, options->variant);
    for (i = 0; i < model->variant_count; ++i)
      text_add(error, "%s %s", i ? "," : "", model->variants[i].name);
  } else if (options->weights && options->weights_path)
    text_add(error, "%s: weights are given twice, in memory and as a file", model->name);
  else if (model->device && !options->device)
    text_add(error, "%s: its code is for a device of the kind %s, but no device is given", model->name, model->device);
  else if (!model->device && options->device)
    text_add(error, "%s: its code is for a CPU, but a device is given", model->name);
  else
    return 1;
  return 0;
}

/* Initialises the model. Returns 0, with the reason in `error`, on failure. */
static int initialize(struct heddle_instance *instance, const struct heddle_instance_options *options,
                      struct text *error) {
  const struct heddle_model *model = instance->model;
  const void *weights = options->weights;
  size_t size = options->weights_size;
  enum heddle_status status;
  if (options->weights_path) {
    if (!map_weights(instance, options->weights_path, error))
      return 0;
    weights = instance->mapped;
    size = instance->mapped_size;
  }
  if (model->device) {
    instance->device = options->device;
    status = model->init_on_device(instance->state, weights, size, options->device);
    instance->on_device = status == HEDDLE_OK;
  } else {
    status = model->init(instance->state, options->variant, weights, size);
  }
  if (status == HEDDLE_OK)
    return 1;
  if (!weights && status == HEDDLE_INVALID_WEIGHTS) { /* the library does not contain the weights */
    text_add(error, "%s: its weights are not in the library, but no weights are given", model->name);
    return 0;
  }
  text_add(error, "%s: %s", model->name, heddle_status_text((int)status));
  if (options->weights_path && status == HEDDLE_INVALID_WEIGHTS)
    text_add(error, ": %s", options->weights_path);
  if (model->device && heddle_status_of_device((int)status))
    text_add(error, ": %s", options->device->error(options->device->self));
  return 0;
}

struct heddle_instance *heddle_instance_create(const struct heddle_model *model,
                                               const struct heddle_instance_options *options, char *error,
                                               size_t error_size) {
  struct text text = text_in(error, error_size);
  struct heddle_instance_options known; /* the options with the members of this version; missing ones are 0 */
  struct heddle_instance *instance;
  struct heddle_model *copy;
  const char *reason = "the pointer to the model is NULL";
  memset(&known, 0, sizeof known);
  if (options)
    memcpy(&known, options, options->struct_size < sizeof known ? (size_t)options->struct_size : sizeof known);
  copy = model ? heddle_model_read(model, &reason) : NULL;
  if (!copy) {
    text_add(&text, "%s", reason);
    return NULL;
  }
  /* Allocate one word more than necessary, so `state` is never empty and its address is valid. */
  size_t words = (size_t)(copy->instance_size / sizeof(uint64_t)) + 1;
  instance = words < SIZE_MAX / 16 ? calloc(1, sizeof *instance + words * sizeof(uint64_t)) : NULL;
  if (!instance) {
    heddle_model_free(copy);
    text_add(&text, "out of memory");
    return NULL;
  }
  instance->model = copy;
  if (options && options->struct_size == 0)
    text_add(&text, "struct_size of the options is 0, not sizeof(struct heddle_instance_options)");
  else if (check_options(copy, &known, &text) && initialize(instance, &known, &text))
    return instance;
  heddle_instance_destroy(instance);
  return NULL;
}

void heddle_instance_destroy(struct heddle_instance *instance) {
  if (!instance)
    return;
  if (instance->on_device)
    instance->model->deinit(instance->state);
  if (instance->mapped)
    munmap(instance->mapped, instance->mapped_size);
  heddle_model_free(instance->model);
  free(instance);
}

const struct heddle_model *heddle_instance_model(const struct heddle_instance *instance) { return instance->model; }

const char *heddle_instance_variant(const struct heddle_instance *instance) {
  const char *name = instance->model->variant(instance->state);
  return name ? name : "";
}

const void *heddle_instance_state(const struct heddle_instance *instance) { return instance->state; }

const struct heddle_device *heddle_instance_device(const struct heddle_instance *instance) { return instance->device; }
