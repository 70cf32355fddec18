/* Embeds a sentence with all-MiniLM-L6-v2, which is linked as an archive. run.sh builds the program. */
#include "minilm.h"

#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int64_t ids[] = {101, 7592, 2088, 102}; /* [CLS] hello world [SEP] */
  float embedding[384];
  struct minilm_args args = {
      .batch_size = 1, .sequence_length = 4, .input_ids = ids, .sentence_embedding = embedding};
  struct minilm model;
  size_t arena_size = minilm_arena_size(1, 4, 1);
  void *arena = malloc(arena_size);
  if (!arena)
    return fprintf(stderr, "out of memory\n"), 1;
  enum heddle_status status = minilm_init(&model, NULL, 0);
  if (!status)
    status = minilm_run(&model, &args, arena, arena_size, NULL);
  free(arena);
  if (status)
    return fprintf(stderr, "%s\n", minilm_status_text(status)), 1;
  double length = 0;
  for (int i = 0; i < 384; ++i)
    length += (double)embedding[i] * embedding[i];
  printf("%g %g %g ... (squared length %.6f)\n", embedding[0], embedding[1], embedding[2], length);
  return 0;
}
