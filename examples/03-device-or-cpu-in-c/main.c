/* Embeds sentences on a device, or on the CPU if there is no device or the device fails. The model is linked twice,
 * compiled for Vulkan and for the CPU. run.sh builds the program.
 * usage: sentences DEVICE ID...
 * DEVICE is a name such as vulkan. Each group of TOKENS token ids is a sentence; TOKENS is the length that the model
 * was compiled for. */
#include "encoder_cpu.h"
#include "encoder_gpu.h"

#include <heddle/device.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = ENCODER_CPU_SENTENCE_EMBEDDING_ELEMENTS, TOKENS = ENCODER_CPU_INPUT_IDS_ELEMENTS };

struct encoder {
  struct heddle_device *device; /* NULL for the CPU */
  struct encoder_gpu on_device;
  struct encoder_cpu on_cpu;
  void *arena; /* for calls of on_device and of on_cpu */
  size_t arena_size;
};

/* Prints the reason, frees the model on the device and closes the device if it is open. Later sentences are embedded on
 * the CPU. */
static void leave_device(struct encoder *encoder, const char *reason) {
  fprintf(stderr, "continuing on the CPU: %s\n", reason);
  if (encoder->device) {
    encoder_gpu_deinit(&encoder->on_device);
    heddle_device_close(encoder->device);
    encoder->device = NULL;
  }
}

/* Initialises the model for the CPU and, if possible, on the device. Returns the status of the initialisation for the
 * CPU, or HEDDLE_ARENA_TOO_SMALL if there is no memory for the arena; a device that fails is not an error. */
static enum heddle_status open_encoder(struct encoder *encoder, const char *device) {
  char reason[256];
  size_t on_device = encoder_gpu_arena_size(1, TOKENS, 1), on_cpu = encoder_cpu_arena_size(1, TOKENS, 1);
  memset(encoder, 0, sizeof *encoder);
  encoder->arena_size = on_device > on_cpu ? on_device : on_cpu;
  encoder->arena = malloc(encoder->arena_size);
  if (!encoder->arena)
    return HEDDLE_ARENA_TOO_SMALL;
  encoder->device = heddle_device_open(device, reason, sizeof reason);
  if (!encoder->device)
    leave_device(encoder, reason);
  else if (encoder_gpu_init(&encoder->on_device, NULL, 0, encoder->device))
    leave_device(encoder, encoder->device->error(encoder->device->self));
  return encoder_cpu_init(&encoder->on_cpu, NULL, 0);
}

/* Embeds the sentence of TOKENS ids in `ids`. Writes SIZE numbers to `embedding`. */
static enum heddle_status embed(struct encoder *encoder, const int64_t *ids, float *embedding) {
  struct encoder_gpu_args gpu = {
      .batch_size = 1, .sequence_length = TOKENS, .input_ids = ids, .sentence_embedding = embedding};
  struct encoder_cpu_args cpu = {
      .batch_size = 1, .sequence_length = TOKENS, .input_ids = ids, .sentence_embedding = embedding};
  if (encoder->device) {
    enum heddle_status status =
        encoder_gpu_run(&encoder->on_device, &gpu, encoder->arena, encoder->arena_size, NULL);
    if (status < HEDDLE_UNSUPPORTED_DEVICE) /* success, or an error that the CPU would have, too */
      return status;
    leave_device(encoder, encoder->device->error(encoder->device->self));
  }
  return encoder_cpu_run(&encoder->on_cpu, &cpu, encoder->arena, encoder->arena_size, NULL);
}

static void close_encoder(struct encoder *encoder) {
  if (encoder->device) {
    encoder_gpu_deinit(&encoder->on_device);
    heddle_device_close(encoder->device);
  }
  free(encoder->arena);
}

int main(int argc, char **argv) {
  struct encoder encoder;
  enum heddle_status status;
  if (argc < 2 || (argc - 2) % TOKENS != 0)
    return fprintf(stderr, "usage: %s DEVICE ID... (%d token ids for each sentence)\n", argv[0], TOKENS), 2;
  status = open_encoder(&encoder, argv[1]);
  for (int sentence = 2; !status && sentence < argc; sentence += TOKENS) {
    int64_t ids[TOKENS];
    float embedding[SIZE];
    double length = 0;
    for (int i = 0; i < TOKENS; ++i)
      ids[i] = strtoll(argv[sentence + i], NULL, 10);
    status = embed(&encoder, ids, embedding);
    if (status)
      break;
    for (int i = 0; i < SIZE; ++i)
      length += (double)embedding[i] * embedding[i];
    printf("on %s: %.5f %.5f %.5f ... (squared length %.6f)\n",
           encoder.device ? encoder.device->description : "the CPU", embedding[0], embedding[1], embedding[2], length);
  }
  close_encoder(&encoder);
  if (status)
    return fprintf(stderr, "%s\n", encoder_cpu_status_text(status)), 1;
  return 0;
}
