/* Calls an attention layer with a state: keys and values of earlier calls stay in the program's memory, and each call
 * appends its rows. Two sequences share a prompt and continue one row at a time. Then the first sequence discards its
 * last rows and appends them again. run.sh builds the program. */
#include "attention.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEQUENCES = 2, CAPACITY = 32, PROMPT = 5, STEPS = 4, HEADS = 4, STORED_HEADS = 2, SIZE = 16 };

static float query[SEQUENCES * HEADS * PROMPT * SIZE], out[SEQUENCES * HEADS * PROMPT * SIZE];
static float key[SEQUENCES * STORED_HEADS * PROMPT * SIZE], value[SEQUENCES * STORED_HEADS * PROMPT * SIZE];

/* Fills rows with values that differ between positions and sequences. */
static void fill(float *rows, size_t count, int seed) {
  size_t i;
  for (i = 0; i < count; ++i)
    rows[i] = (float)((i * 37 + (size_t)seed * 11) % 101) / 50 - 1;
}

/* Appends `rows` new rows to each sequence, after its rows in the state. If `past` is not NULL, the call first discards
 * all but the first past[sequence] rows of each sequence. `seed` determines the elements of the new rows. */
static enum heddle_status call(const struct attention *model, struct attention_state *state, size_t rows,
                               const int64_t *past, int seed, void *arena, size_t arena_size) {
  struct attention_args args = {0};
  args.batch_size = SEQUENCES;
  args.sequence_length = rows;
  args.capacity = CAPACITY;
  args.query = query;
  args.key = key;
  args.value = value;
  args.past = past;
  args.state = state;
  args.out = out;
  fill(query, SEQUENCES * HEADS * rows * SIZE, seed);
  fill(key, SEQUENCES * STORED_HEADS * rows * SIZE, seed + 1);
  fill(value, SEQUENCES * STORED_HEADS * rows * SIZE, seed + 2);
  return attention_run(model, &args, arena, arena_size, NULL);
}

int main(void) {
  struct attention model;
  struct attention_state state = {NULL, 0};
  size_t arena_size = attention_arena_size(SEQUENCES, PROMPT, CAPACITY, 1);
  void *arena = malloc(arena_size);
  int64_t back[SEQUENCES];
  float last[SIZE];
  int step;
  enum heddle_status status = HEDDLE_OK;
  state.size = attention_state_size(SEQUENCES, CAPACITY);
  state.memory = malloc(state.size);
  if (!arena || !state.memory)
    return fprintf(stderr, "out of memory\n"), 1;
  status = attention_init(&model, NULL, 0);
  if (!status)
    status = attention_state_init(&model, &state, SEQUENCES, CAPACITY);
  if (!status)
    status = call(&model, &state, PROMPT, NULL, 0, arena, arena_size);
  if (!status) /* the second sequence continues from the first one's prompt */
    status = attention_state_copy(&model, &state, 0, 1);
  for (step = 1; step <= STEPS && !status; ++step)
    status = call(&model, &state, 1, NULL, step, arena, arena_size);
  if (status)
    return fprintf(stderr, "%s\n", attention_status_text(status)), 1;
  printf("after %d rows and %d more: %.4f %.4f ...\n", PROMPT, STEPS, out[0], out[1]);
  memcpy(last, out, sizeof last);
  /* The first sequence discards its last two rows and appends the same rows again, so its last result must be the
   * same as before. The second sequence continues. */
  back[0] = PROMPT + STEPS - 2;
  back[1] = PROMPT + STEPS;
  for (step = STEPS - 1; step <= STEPS && !status; ++step, ++back[0], ++back[1])
    status = call(&model, &state, 1, back, step, arena, arena_size);
  printf("two rows discarded and appended again: %s results\n",
         !status && memcmp(last, out, sizeof last) == 0 ? "equal" : "different");
  /* Invalid calls return an error. */
  back[0] = CAPACITY;
  status = call(&model, &state, 1, back, 0, arena, arena_size);
  printf("past beyond the filled rows: %s\n", attention_status_text(status));
  status = attention_state_init(&model, &state, SEQUENCES, CAPACITY + 1);
  printf("capacity larger than the memory: %s\n", attention_status_text(status));
  free(state.memory);
  free(arena);
  return 0;
}
