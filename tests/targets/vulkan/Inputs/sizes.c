/* Calls one library on a device with several numbers of rows, and with numbers outside of its range. A call with fewer
 * rows must give the same bits as the first rows of the call with the most rows, and must write nothing after them. */
#include "layer.h"

#include <heddle/device.h>
#include <heddle/model.h>
#include <stdio.h>
#include <string.h>

enum { columns = 20, maximum = LAYER_MAX_M };
static float x[(maximum + 1) * 8], weight[LAYER_WEIGHT_ELEMENTS], all[(maximum + 1) * columns],
    some[(maximum + 1) * columns];
static unsigned char arena[LAYER_MAX_ARENA_SIZE];

/* Calls the model with m rows, with tensors on the host. Before the call, fills `out` with a pattern. */
static enum heddle_status call(struct layer *model, size_t m, float *out) {
  struct layer_args args = {.m = m, .input = x, .weight = weight, .out = out};
  memset(out, 0xee, sizeof some);
  return layer_run(model, &args, arena, sizeof arena, NULL);
}

/* Returns whether nothing was written from row `row` on. */
static int isUntouched(const float *out, size_t row) {
  const unsigned char *bytes = (const unsigned char *)(out + row * columns), *end = (const unsigned char *)out + sizeof some;
  while (bytes < end && *bytes == 0xee)
    ++bytes;
  return bytes == end;
}

/* Makes the call with m rows with input and result on the device, in memory of exactly their sizes. Returns whether the
 * result equals the rows in `all`, and wrong numbers of rows are refused without a change of the result. */
static int callOnDevice(struct heddle_device *gpu, struct layer *model, size_t m) {
  struct heddle_memory *in = NULL, *out = NULL;
  size_t inSize = m * 8 * sizeof(float), outSize = m * columns * sizeof(float), rows[] = {m, m + 1, 0, maximum + 1}, i;
  struct heddle_place inputs[] = {{NULL, NULL, 0}, {weight, NULL, 0}}, output = {NULL, NULL, 0};
  int right;
  if (gpu->allocate(gpu->self, inSize, &in) || gpu->allocate(gpu->self, outSize, &out) ||
      gpu->upload(gpu->self, in, 0, x, inSize))
    return 0;
  inputs[0].memory = in;
  output.memory = out;
  memset(some, 0, sizeof some);
  right = layer_run_on_device(model, rows, inputs, &output, arena, sizeof arena) == HEDDLE_OK &&
          gpu->download(gpu->self, out, 0, some, outSize) == HEDDLE_OK && memcmp(all, some, outSize) == 0;
  for (i = 1; i < sizeof rows / sizeof *rows; ++i) /* one row more than the memory has, and sizes out of range */
    right &= layer_run_on_device(model, rows + i, inputs, &output, arena, sizeof arena) == HEDDLE_INVALID_ARGUMENT;
  right &= gpu->download(gpu->self, out, 0, some, outSize) == HEDDLE_OK && memcmp(all, some, outSize) == 0;
  gpu->release(gpu->self, in);
  gpu->release(gpu->self, out);
  return right;
}

int main(void) {
  static const size_t outside[] = {0, maximum + 1}, onDevice[] = {1, 7, 33, maximum, 2};
  struct layer model;
  char error[256];
  struct heddle_device *gpu = heddle_device_open("vulkan", error, sizeof error);
  enum heddle_status status;
  size_t i;
  if (!gpu)
    return fprintf(stderr, "%s\n", error), 1;
  for (i = 0; i < sizeof x / sizeof *x; ++i)
    x[i] = (float)i / 100;
  for (i = 0; i < LAYER_WEIGHT_ELEMENTS; ++i)
    weight[i] = 1 - (float)i / 90;
  status = layer_init(&model, NULL, 0, gpu);
  if (status)
    return fprintf(stderr, "%s\n", layer_status_text(status)), 1;
  printf("40 rows: %s\n", layer_status_text(call(&model, maximum, all)));
  status = call(&model, 7, some);
  printf("7 rows: %s, the same as among 40: %d, nothing after them: %d\n", layer_status_text(status),
         memcmp(all, some, 7 * columns * sizeof *all) == 0, isUntouched(some, 7));
  for (i = 0; i < 2; ++i) {
    status = call(&model, outside[i], some);
    printf("%d rows: %s, nothing written: %d\n", (int)outside[i], layer_status_text(status), isUntouched(some, 0));
  }
  for (i = 0; i < sizeof onDevice / sizeof *onDevice; ++i)
    printf("%d rows on the device: %d\n", (int)onDevice[i], callOnDevice(gpu, &model, onDevice[i]));
  layer_deinit(&model);
  heddle_device_close(gpu);
  return 0;
}
