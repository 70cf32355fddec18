/* Times a call of the compiled encoder on one thread: the median of 31 calls. quickstart.sh builds the program with
 * BATCH and LENGTH, the sizes that the encoder was compiled for. */
#define _POSIX_C_SOURCE 199309L
#include "encoder.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 31 };
static int64_t ids[BATCH * LENGTH];

/* Compares two numbers for qsort. */
static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(void) {
  struct encoder_args args = {.batch_size = BATCH, .sequence_length = LENGTH, .input_ids = ids};
  struct encoder model;
  size_t arena_size = encoder_arena_size(BATCH, LENGTH, 1);
  void *arena = malloc(arena_size);
  double milliseconds[CALLS];
  float *embedding = malloc(sizeof(float) * ENCODER_SENTENCE_EMBEDDING_ELEMENTS);
  if (!arena || !embedding)
    return fprintf(stderr, "out of memory\n"), 1;
  args.sentence_embedding = embedding;
  for (int i = 0; i < BATCH * LENGTH; ++i)
    ids[i] = i % 100;
  enum heddle_status status = encoder_init(&model, NULL, 0);
  for (int i = -3; !status && i < CALLS; ++i) { /* three calls to warm up */
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    status = encoder_run(&model, &args, arena, arena_size, NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (i >= 0)
      milliseconds[i] = (end.tv_sec - begin.tv_sec) * 1e3 + (end.tv_nsec - begin.tv_nsec) / 1e6;
  }
  if (status)
    return fprintf(stderr, "%s\n", encoder_status_text(status)), 1;
  qsort(milliseconds, CALLS, sizeof *milliseconds, ascending);
  printf("%.2f ms for %d sentences of %d tokens on one thread, %.2f ms each\n", milliseconds[CALLS / 2], BATCH,
         LENGTH, milliseconds[CALLS / 2] / BATCH);
  free(embedding);
  free(arena);
  return 0;
}
