/* Runs two models on one device. The output of the first model stays in the memory of the device and is the input of
 * the second model, so only the first input and the last output are copied between the host and the device. run.sh
 * builds the program.
 *   usage: two-models [DEVICE]
 * DEVICE is a name such as vulkan, the default, or cuda:0. */
#include "classes.h"
#include "scores.h"

#include <heddle/device.h>
#include <heddle/model.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 16, CLASSES = SCORES_OUT_ELEMENTS / ROWS };

struct models {
  struct heddle_device *device;
  struct scores scores;                  /* a linear layer: a score for each class */
  struct classes classes;                /* softmax: the probability of each class */
  struct heddle_memory *input, *between; /* on the device */
  void *arena;                           /* for calls of both models */
  size_t arena_size;
};

static const float *input_of_batch(int batch) {
  static float input[SCORES_INPUT_ELEMENTS];
  for (int i = 0; i < SCORES_INPUT_ELEMENTS; ++i)
    input[i] = (float)((i * 7 + batch * 13) % 31) / 10 - 1.5f;
  return input;
}

static int open_models(struct models *all, const char *name) {
  char error[256];
  size_t scores = scores_arena_size(1), classes = classes_arena_size(1);
  memset(all, 0, sizeof *all);
  all->arena_size = scores > classes ? scores : classes;
  all->arena = malloc(all->arena_size);
  all->device = heddle_device_open(name, error, sizeof error);
  if (!all->device || !all->arena)
    return fprintf(stderr, "%s\n", all->arena ? error : "out of memory"), 0;
  struct heddle_device *device = all->device;
  if (scores_init(&all->scores, NULL, 0, device) || classes_init(&all->classes, NULL, 0, device) ||
      device->allocate(device->self, sizeof(float) * SCORES_INPUT_ELEMENTS, &all->input) ||
      device->allocate(device->self, sizeof(float) * SCORES_OUT_ELEMENTS, &all->between))
    return fprintf(stderr, "%s\n", device->error(device->self)), 0;
  return 1;
}

/* Computes the probabilities for an input on the host with two calls. The tensor between the calls stays on the
 * device. */
static enum heddle_status run(struct models *all, const float *input, float *probabilities) {
  struct heddle_device *device = all->device;
  struct heddle_place in = {NULL, all->input, 0}, between = {NULL, all->between, 0}, out = {probabilities, NULL, 0};
  enum heddle_status status = device->upload(device->self, all->input, 0, input, sizeof(float) * SCORES_INPUT_ELEMENTS);
  if (!status)
    status = scores_run_on_device(&all->scores, NULL, &in, &between, all->arena, all->arena_size);
  if (!status)
    status = classes_run_on_device(&all->classes, NULL, &between, &out, all->arena, all->arena_size);
  return status;
}

/* Does the same with all tensors on the host, which each call copies to the device and back. */
static enum heddle_status run_with_copies(struct models *all, const float *input, float *probabilities) {
  static float between[SCORES_OUT_ELEMENTS];
  struct scores_args first = {.input = input, .out = between};
  struct classes_args second = {.input = between, .out = probabilities};
  enum heddle_status status = scores_run(&all->scores, &first, all->arena, all->arena_size, NULL);
  return status ? status : classes_run(&all->classes, &second, all->arena, all->arena_size, NULL);
}

static void close_models(struct models *all) {
  if (all->device) {
    all->device->release(all->device->self, all->input);
    all->device->release(all->device->self, all->between);
    scores_deinit(&all->scores);
    classes_deinit(&all->classes);
    heddle_device_close(all->device);
  }
  free(all->arena);
}

int main(int argc, char **argv) {
  static float probabilities[CLASSES_OUT_ELEMENTS], copied[CLASSES_OUT_ELEMENTS];
  struct models all;
  int failed = !open_models(&all, argc > 1 ? argv[1] : "vulkan");
  for (int batch = 0; !failed && batch < 3; ++batch) {
    const float *input = input_of_batch(batch);
    enum heddle_status status = run(&all, input, probabilities);
    if (!status)
      status = run_with_copies(&all, input, copied);
    if (status) {
      fprintf(stderr, "%s: %s\n", heddle_status_text((int)status), all.device->error(all.device->self));
      failed = 1;
      break;
    }
    int best = 0;
    for (int i = 1; i < CLASSES; ++i)
      best = probabilities[i] > probabilities[best] ? i : best;
    int same = memcmp(probabilities, copied, sizeof copied) == 0;
    printf("batch %d on %s: class %d has probability %.4f; with copies: %s\n", batch, all.device->name, best,
           probabilities[best], same ? "the same bits" : "other bits");
    failed = !same;
  }
  close_models(&all);
  return failed;
}
