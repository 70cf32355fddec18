/* Plays random scripts of calls on a decoder that keeps a past: chunks, steps, rewinds, copies of sequences, refusals.
 *
 *     play-decoder SCRIPTS [WEIGHTS]
 *
 * States lie before a page that nobody may touch; before a call rows that are not filled are NaN, and after it only new
 * rows and what is filled may differ. All logits are printed, which another machine's code is to agree with; tokens come
 * of the seed alone. Linked with a library compiled with `--decoder --name lm`, whose weights are inside it or a file. */
#include "heddle/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const struct heddle_model *lm_describe(void);

enum { BATCH = 3, ROWS = 6, CAPACITY = 32, CALLS = 8 };

static const struct heddle_model *model;
static size_t sizes[3]; /* in the model's order */
static unsigned seed;

static size_t below(size_t count) {
  seed = seed * 1103515245u + 12345u;
  return (seed >> 16) % count;
}

static void *allocate(size_t size) {
  void *memory = malloc(size ? size : 1);
  if (!memory)
    fprintf(stderr, "out of memory\n"), exit(1);
  return memory;
}

static void expect(int is, const char *what, int number) {
  if (!is)
    fprintf(stderr, "%s: %d\n", what, number), exit(1);
}

static void set(const char *name, size_t value) {
  uint64_t i;
  for (i = 0; i < model->size_count; ++i)
    if (strcmp(model->sizes[i].name, name) == 0)
      sizes[i] = value;
}

static int64_t valueOf(const struct heddle_expression *expression) {
  int64_t value = -1;
  expect(heddle_evaluate(expression, sizes, model->size_count, &value), "no value", 0);
  return value;
}

static size_t number(const char *name, const struct heddle_tensor *tensors, uint64_t count) {
  uint64_t i;
  for (i = 0; i < count; ++i)
    if (strcmp(tensors[i].name, name) == 0)
      return i;
  expect(0, name, -1);
  return 0;
}

static size_t page(void) { return (size_t)sysconf(_SC_PAGESIZE); }

/* Bytes of the pages that so many lie in. */
static size_t inside(size_t size) { return (size + page() - 1) / page() * page(); }

/* Before a page without access. */
static void *guarded(size_t size) {
  char *pages = mmap(NULL, inside(size) + page(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  expect(pages != MAP_FAILED && mprotect(pages + inside(size), page(), PROT_NONE) == 0, "no guard page", 0);
  return pages + inside(size) - size;
}

/* The rows of the state's tensors from `first` to `last` of each sequence become NaN, or those of `other`. */
static void setRows(char *memory, const char *other, const int64_t *first, const int64_t *last, size_t batch) {
  const struct heddle_state *state = model->states;
  uint64_t t;
  size_t b;
  int64_t h;
  for (t = 0; t < state->tensor_count; ++t) {
    const struct heddle_tensor *tensor = &state->tensors[t];
    int64_t heads = heddle_extent(model, tensor, 1, sizes), rows = heddle_extent(model, tensor, 2, sizes);
    size_t row = (size_t)heddle_extent(model, tensor, 3, sizes) * heddle_type_size(tensor->type);
    int64_t offset = valueOf(&state->offsets[t]);
    for (b = 0; b < batch; ++b)
      for (h = 0; h < heads; ++h) {
        size_t place = (size_t)offset + (size_t)(((int64_t)b * heads + h) * rows + first[b]) * row;
        size_t count = (size_t)(last[b] - first[b]) * row;
        if (other)
          memcpy(memory + place, other + place, count);
        else
          memset(memory + place, 0xff, count);
      }
  }
}

static void play(void *instance, int script) {
  const struct heddle_state *state = model->states;
  size_t batch = 1 + below(BATCH);
  size_t capacity = ROWS + below(CAPACITY - ROWS + 1), b;
  size_t ids = number("input_ids", model->inputs, model->input_count);
  size_t logits = number("logits", model->outputs, model->output_count);
  const struct heddle_tensor *tokens = &model->inputs[ids];
  struct heddle_state_memory memory;
  int64_t *filled;
  int call;
  set("batch_size", batch), set("sequence_length", 1), set("capacity", capacity);
  memory.size = state->size(sizes);
  memory.memory = guarded(memory.size);
  expect(state->init(instance, &memory, sizes) == HEDDLE_OK, "a state is not initialised", script);
  filled = (int64_t *)((char *)memory.memory + valueOf(&state->filled));
  for (call = 0; call < CALLS; ++call) {
    size_t rows = below(2) ? 1 : 1 + below(ROWS), count, arenaSize, i;
    int64_t past[BATCH], ends[BATCH], all[BATCH], token[BATCH * ROWS];
    const void *inputs[8] = {0};
    void *outputs[8] = {0}, *arena;
    char *before = allocate(memory.size);
    float *results;
    enum heddle_status status;
    set("sequence_length", rows);
    if (below(4) == 0) { /* arguments are evaluated in any order */
      size_t from = below(batch), to = below(batch);
      expect(state->copy(instance, &memory, from, to) == HEDDLE_OK, "no copy", call);
    }
    for (b = 0; b < batch; ++b) {
      int64_t room = (int64_t)(capacity - rows), most = filled[b] < room ? filled[b] : room;
      past[b] = below(4) ? most : (int64_t)below((size_t)most + 1);
      ends[b] = past[b] + (int64_t)rows;
      all[b] = (int64_t)capacity;
    }
    setRows(memory.memory, NULL, past, all, batch);
    memcpy(before, memory.memory, memory.size);
    for (i = 0; i < batch * rows; ++i)
      token[i] = (int64_t)below((size_t)tokens->high + 1);
    count = batch * (size_t)heddle_extent(model, &model->outputs[logits], 1, sizes);
    results = allocate(count * sizeof *results);
    arenaSize = model->arena_size(sizes, 1);
    arena = allocate(arenaSize);
    memset(arena, 0xff, arenaSize);
    inputs[ids] = token;
    inputs[state->past] = past;
    inputs[number("state", model->inputs, model->input_count)] = &memory;
    outputs[logits] = results;
    past[0] += 1000; /* refused, and nothing is changed */
    status = model->run(instance, sizes, inputs, outputs, arena, arenaSize, NULL);
    expect(status == HEDDLE_STATE_NOT_FILLED && memcmp(before, memory.memory, memory.size) == 0, "not refused", status);
    past[0] -= 1000;
    status = model->run(instance, sizes, inputs, outputs, arena, arenaSize, NULL);
    expect(status == HEDDLE_OK, heddle_status_text((int)status), script);
    setRows(before, memory.memory, past, ends, batch);
    memcpy(before + valueOf(&state->filled), ends, batch * sizeof *ends);
    expect(memcmp(before, memory.memory, memory.size) == 0, "more than new rows is changed", call);
    for (i = 0; i < count; ++i)
      printf("%.9g\n", (double)results[i]);
    free(arena), free(results), free(before);
  }
  munmap((char *)memory.memory + memory.size - inside(memory.size), inside(memory.size) + page());
}

int main(int count, char **arguments) {
  int scripts = count > 1 ? atoi(arguments[1]) : 1, script;
  void *instance, *weights = NULL;
  size_t size = 0;
  FILE *file = count > 2 ? fopen(arguments[2], "rb") : NULL;
  if (file) {
    weights = allocate((size_t)1 << 20);
    size = fread(weights, 1, (size_t)1 << 20, file);
    fclose(file);
  }
  model = lm_describe();
  expect(model->abi == HEDDLE_ABI_VERSION && model->state_count == 1 && model->size_count == 3, "another model", 0);
  instance = allocate(model->instance_size);
  memset(instance, 0, model->instance_size);
  expect(model->init(instance, NULL, weights, size) == HEDDLE_OK, "not initialised", 0);
  for (script = 1; script <= scripts; ++script) {
    seed = (unsigned)script;
    play(instance, script);
  }
  free(instance);
  free(weights);
  return 0;
}
