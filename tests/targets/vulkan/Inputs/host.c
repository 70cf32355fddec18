/* Initialises a model three times: without a device, which is an error; on a Vulkan device, where two calls must give
 * the same results; and on the null device, which executes no kernels. */
#include "layer.h"

#include <heddle/device.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  static float x[LAYER_INPUT_ELEMENTS], first[LAYER_OUT_ELEMENTS], second[LAYER_OUT_ELEMENTS];
  static unsigned char arena[LAYER_MAX_ARENA_SIZE];
  struct layer_args args = {.input = x, .out = first};
  struct layer model;
  char error[256];
  struct heddle_device *gpu = heddle_device_open("vulkan", error, sizeof error), *null;
  enum heddle_status status;
  size_t i;
  if (!gpu)
    return fprintf(stderr, "%s\n", error), 1;
  for (i = 0; i < LAYER_INPUT_ELEMENTS; ++i)
    x[i] = (float)i / 100;
  printf("without a device: %d\n", layer_init(&model, NULL, 0, NULL) == HEDDLE_INVALID_ARGUMENT);
  status = layer_init(&model, NULL, 0, gpu);
  if (!status)
    status = layer_run(&model, &args, arena, sizeof arena, NULL);
  printf("on %s: %s\n", gpu->name, layer_status_text(status));
  args.out = second;
  status = layer_run(&model, &args, arena, sizeof arena, NULL);
  printf("the same again: %d\n", !status && memcmp(first, second, sizeof first) == 0);
  layer_deinit(&model);
  layer_deinit(&model);
  printf("after deinit: %d\n", layer_run(&model, &args, arena, sizeof arena, NULL) == HEDDLE_INVALID_ARGUMENT);
  heddle_device_close(gpu);
  null = heddle_device_open("null", error, sizeof error);
  status = layer_init(&model, NULL, 0, null);
  printf("on the null device: %s\n", status ? null->error(null->self) : "done");
  layer_deinit(&model);
  heddle_device_close(null);
  return 0;
}
