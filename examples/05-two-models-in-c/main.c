/* Two models in one program share an arena and a thread pool: rows are normalized, then projected to scores. run.sh
 * builds the program. */
#include "normalize.h"
#include "project.h"

#include <heddle/executor.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 40, WIDTH = NORMALIZE_SCALE_ELEMENTS, SCORES = PROJECT_BIAS_ELEMENTS };

static float input[ROWS * WIDTH], scale[WIDTH], rows[ROWS * WIDTH];
static float weight[WIDTH * SCORES], bias[SCORES], scores[ROWS * SCORES];

/* Returns the size of an arena that both models can use, the larger of their sizes: no call needs what an earlier call
 * left in the arena. */
static size_t arena_size(size_t threads) {
  size_t a = normalize_arena_size(ROWS, threads), b = project_arena_size(ROWS, threads);
  return a > b ? a : b;
}

int main(void) {
  struct heddle_executor *executor = heddle_executor_create(0);
  size_t size = arena_size(executor ? executor->threads : 1);
  void *arena = malloc(size);
  enum heddle_status status = arena ? HEDDLE_OK : HEDDLE_ARENA_TOO_SMALL;
  int i;
  for (i = 0; i < ROWS * WIDTH; ++i)
    input[i] = (float)(i * 37 % 101) / 50 - 1;
  for (i = 0; i < WIDTH; ++i)
    scale[i] = 1;
  for (i = 0; i < WIDTH * SCORES; ++i)
    weight[i] = (float)(i % SCORES == i / SCORES % SCORES); /* score s sums the elements s, s + SCORES, ... */
  for (i = 0; i < SCORES; ++i)
    bias[i] = (float)i;
  if (!status)
    status = normalize_init();
  if (!status)
    status = project_init();
  if (!status)
    status = normalize(ROWS, input, scale, rows, arena, size, executor);
  if (!status)
    status = project(ROWS, rows, weight, bias, scores, arena, size, executor);
  free(arena);
  heddle_executor_destroy(executor);
  if (status)
    return fprintf(stderr, "%s\n", normalize_status_text(status)), 1;
  printf("scores of the last row: %.4f %.4f %.4f ...\n", scores[(ROWS - 1) * SCORES], scores[(ROWS - 1) * SCORES + 1],
         scores[(ROWS - 1) * SCORES + 2]);
  return 0;
}
