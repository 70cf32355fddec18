/* sequences.c - names the sequence of a state that makes a call fail. */
#include "sequences.h"

/* The numbers of rows in a call and in its state; `added` is the number of new rows of each sequence. */
struct rows {
  int64_t batch, capacity, added;
  /* For each of the `batch` sequences: the number of filled rows, and the number of rows that the call keeps. */
  const int64_t *filled, *past;
};

/* Stores the numbers for a state in `rows`. Returns 0 if they cannot be computed or are not in memory of the host. */
static int read_rows(const struct heddle_model *model, const struct heddle_state *state,
                     const struct heddle_state_memory *memory, const struct heddle_place *inputs, const size_t *sizes,
                     struct rows *rows) {
  int64_t offset;
  if (!memory || !heddle_evaluate(&state->batch_size, sizes, model->size_count, &rows->batch) ||
      !heddle_evaluate(&state->capacity, sizes, model->size_count, &rows->capacity) ||
      !heddle_evaluate(&state->rows, sizes, model->size_count, &rows->added) ||
      !heddle_evaluate(&state->filled, sizes, model->size_count, &offset))
    return 0;
  if (rows->batch < 0 || offset < 0 || offset % 8 || (uint64_t)offset > memory->size ||
      (uint64_t)rows->batch > (memory->size - (uint64_t)offset) / sizeof *rows->filled)
    return 0;
  rows->filled = (const int64_t *)((const char *)memory->memory + offset);
  rows->past = rows->filled;
  if (state->past != UINT64_MAX && inputs[state->past].memory)
    return 0;
  if (state->past != UINT64_MAX && inputs[state->past].host)
    rows->past = inputs[state->past].host;
  return 1;
}

void name_sequence(const struct heddle_model *model, const struct heddle_place *inputs, const size_t *sizes,
                   enum heddle_status status, struct text *error) {
  struct rows rows;
  uint64_t i;
  int64_t j;
  for (i = 0; i < model->input_count; ++i) {
    uint32_t state = model->inputs[i].state;
    if (!state || !read_rows(model, &model->states[state - 1], inputs[i].host, inputs, sizes, &rows))
      continue;
    for (j = 0; j < rows.batch; ++j) {
      int64_t has = rows.filled[j], past = rows.past[j];
      if (status == HEDDLE_STATE_NOT_FILLED && (past < 0 || past > has)) {
        text_add(error, ": sequence %lld has %lld rows, but the past is %lld", (long long)j, (long long)has,
                 (long long)past);
        return;
      }
      if (status == HEDDLE_STATE_FULL && past > rows.capacity - rows.added) {
        text_add(error, ": for sequence %lld, the past is %lld, the number of new rows %lld, and the capacity %lld",
                 (long long)j, (long long)past, (long long)rows.added, (long long)rows.capacity);
        return;
      }
    }
  }
}
