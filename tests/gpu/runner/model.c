/* model.c - opens libraries that heddle compiled, fills or reads their inputs, and calls them. */
#include "kit.h"

#include <string.h>

struct model open_model(const char *library, const char *weights, struct heddle_device *device) {
  char error[512];
  struct model model = {.library = heddle_library_open(library, error, sizeof error)};
  if (!model.library)
    stop("%s: %s", library, error);
  model.description = heddle_library_model(model.library);
  if (model.description->input_count > 64 || model.description->output_count > 64)
    stop("%s: more than 64 inputs or outputs", library);
  if (!device)
    return model;
  struct heddle_instance_options options = {.struct_size = sizeof options, .device = device};
  options.weights_path = weights && strcmp(weights, "-") != 0 ? weights : NULL;
  model.instance = heddle_instance_create(model.description, &options, error, sizeof error);
  if (!model.instance)
    stop("%s: %s", library, error);
  model.call = heddle_call_create(model.instance);
  return model;
}

/* Allocates an array of zeros on the host for a tensor with constant sizes. */
static struct heddle_array array_of(const struct heddle_tensor *tensor) {
  struct heddle_array array = {tensor->name, tensor->type, tensor->rank, tensor->shape, NULL, {NULL, NULL, 0}};
  for (uint32_t d = 0; d < tensor->rank; ++d)
    if (tensor->shape[d] < 0)
      stop("%s: the sizes lie in ranges, but this command requires fixed sizes", tensor->name);
  array.place.host = room(array_bytes(&array));
  return array;
}

/* Floats are from -1 to 1. Integers with a range, such as token ids, are random numbers in this range. Other integers
 * are 1, because they are masks, and a mask of ones has no padding. */
void fill_inputs(struct model *model, uint64_t seed) {
  struct random random = {seed};
  for (uint64_t i = 0; i < model->description->input_count; ++i) {
    const struct heddle_tensor *tensor = &model->description->inputs[i];
    struct heddle_array array = model->inputs[i] = array_of(tensor);
    size_t bytes = array_bytes(&array);
    if (is_float(tensor->type))
      for (size_t e = 0; e < count_floats(&array); ++e)
        set_float(&array, e, random_float(&random));
    else if (tensor->type == HEDDLE_I64)
      for (size_t e = 0; e < bytes / 8; ++e)
        ((int64_t *)array.place.host)[e] =
            tensor->flags & HEDDLE_RANGE
                ? tensor->low + (int64_t)(random_bits(&random) >> 1) % (tensor->high - tensor->low + 1)
                : 1;
    else
      stop("%s: the element type is none of f32, bf16, f16 and i64", tensor->name);
  }
}

void read_inputs(struct model *model, const char *path) {
  struct tensor_file *file = room(sizeof *file);
  const char *wrong = tensor_file_read(file, path);
  if (wrong)
    stop("%s", wrong);
  for (uint64_t i = 0; i < model->description->input_count; ++i) {
    struct heddle_array *input = &model->inputs[i];
    if (!tensor_file_find(file, model->description->inputs[i].name, input))
      stop("%s: has no %s", path, model->description->inputs[i].name);
    input->place.host = memcpy(room(array_bytes(input)), input->place.host, array_bytes(input));
  }
}

void prepare_call(struct model *model) {
  uint64_t count = model->description->input_count;
  if (heddle_call_bind(model->call, model->inputs, count) != HEDDLE_OK)
    stop("%s: %s", model->description->name, heddle_call_error(model->call));
  for (uint64_t i = 0; i < model->description->output_count; ++i) {
    const struct heddle_tensor *tensor = &model->description->outputs[i];
    struct heddle_array *output = &model->outputs[i];
    *output = (struct heddle_array){
        tensor->name, tensor->type, tensor->rank, heddle_call_output_shape(model->call, i), NULL, {NULL, NULL, 0}};
    /* All floats are NaN, so that an element that the call does not write is found. */
    output->place.host = memset(room(array_bytes(output)), 0xff, array_bytes(output));
  }
}

void run_call(struct model *model) {
  if (heddle_call_run(model->call, model->outputs, model->description->output_count, NULL) != HEDDLE_OK)
    stop("%s: %s", model->description->name, heddle_call_error(model->call));
}

void move_to_device(struct model *model, struct heddle_device *device) {
  for (uint64_t i = 0; i < model->description->input_count; ++i) {
    struct heddle_place *place = &model->inputs[i].place;
    size_t bytes = array_bytes(&model->inputs[i]);
    if (model->description->inputs[i].flags & HEDDLE_RANGE)
      continue; /* the runtime checks the values of such an input on the host */
    check_status(device, device->allocate(device->self, bytes, &place->memory), "allocate");
    check_status(device, device->upload(device->self, place->memory, 0, place->host, bytes), "upload");
    place->host = NULL;
  }
  for (uint64_t i = 0; i < model->description->output_count; ++i) {
    struct heddle_place *place = &model->outputs[i].place;
    check_status(device, device->allocate(device->self, array_bytes(&model->outputs[i]), &place->memory), "allocate");
    place->host = NULL;
  }
  if (heddle_call_bind(model->call, model->inputs, model->description->input_count) != HEDDLE_OK)
    stop("%s: %s", model->description->name, heddle_call_error(model->call));
}
