/* Calls a model five times with tensors on the device. Each output is the next input, without copies to the host. The
 * last output must have the same bits as after five calls with tensors on the host. Finally, calls with invalid places
 * must be refused. */
#include "layer.h"

#include <heddle/device.h>
#include <heddle/model.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = LAYER_OUT_ELEMENTS * sizeof(float), CALLS = 5 };
static float x[LAYER_OUT_ELEMENTS], on_host[LAYER_OUT_ELEMENTS], on_device[LAYER_OUT_ELEMENTS];

int main(int argc, char **argv) {
  char error[256];
  struct heddle_device *gpu = heddle_device_open(argc > 1 ? argv[1] : "vulkan", error, sizeof error);
  struct heddle_device *null = heddle_device_open("null", error, sizeof error);
  struct heddle_memory *buffer = NULL, *foreign = NULL;
  struct layer model;
  size_t arena_size = layer_arena_size(1), i;
  void *arena = malloc(arena_size);
  if (!gpu || !null || !arena)
    return fprintf(stderr, "%s\n", error), 1;
  for (i = 0; i < LAYER_OUT_ELEMENTS; ++i)
    x[i] = (float)(i % 17) / 10 - 0.8f;
  if (layer_init(&model, NULL, 0, gpu) || gpu->allocate(gpu->self, 2 * SIZE, &buffer) ||
      null->allocate(null->self, 2 * SIZE, &foreign) || gpu->upload(gpu->self, buffer, SIZE, x, SIZE))
    return fprintf(stderr, "%s\n", gpu->error(gpu->self)), 1;

  memcpy(on_host, x, SIZE);
  for (i = 0; i < CALLS; ++i) {
    struct layer_args args = {.input = x, .out = on_host};
    if (layer_run(&model, &args, arena, arena_size, NULL))
      return fprintf(stderr, "%s\n", gpu->error(gpu->self)), 1;
    memcpy(x, on_host, SIZE);
  }
  /* `place` is the second half of the buffer, and `outside` reaches beyond the end of the buffer. `both` has two
   * places, `elsewhere` is memory of another device, and `absent` has neither an address nor device memory. */
  struct heddle_place place = {NULL, buffer, SIZE}, host = {on_device, NULL, 0}, both = {x, buffer, 0},
                      outside = {NULL, buffer, SIZE + 4}, elsewhere = {NULL, foreign, 0}, absent = {NULL, NULL, 0};
  for (i = 0; i + 1 < CALLS; ++i)
    if (layer_run_on_device(&model, NULL, &place, &place, arena, arena_size))
      return fprintf(stderr, "%s\n", gpu->error(gpu->self)), 1;
  if (layer_run_on_device(&model, NULL, &place, &host, arena, arena_size))
    return fprintf(stderr, "%s\n", gpu->error(gpu->self)), 1;
  printf("the same bits: %d\n", memcmp(on_host, on_device, SIZE) == 0);

  struct heddle_place wrong[] = {both, outside, elsewhere, absent};
  for (i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    enum heddle_status in = layer_run_on_device(&model, NULL, &wrong[i], &host, arena, arena_size);
    enum heddle_status out = layer_run_on_device(&model, NULL, &place, &wrong[i], arena, arena_size);
    printf("refused: %d %d\n", in == HEDDLE_INVALID_ARGUMENT, out == HEDDLE_INVALID_ARGUMENT);
  }
  printf("too small an arena: %d\n",
         layer_run_on_device(&model, NULL, &place, &host, arena, 0) == HEDDLE_ARENA_TOO_SMALL);
  printf("described: %d\n", layer_describe()->run_on_device != NULL);
  gpu->release(gpu->self, buffer);
  null->release(null->self, foreign);
  layer_deinit(&model);
  printf("after deinit: %d\n",
         layer_run_on_device(&model, NULL, &host, &host, arena, arena_size) == HEDDLE_INVALID_ARGUMENT);
  heddle_device_close(gpu);
  heddle_device_close(null);
  free(arena);
  return 0;
}
