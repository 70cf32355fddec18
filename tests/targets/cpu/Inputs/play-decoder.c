/* Plays random scripts (sequences of calls) on a decoder with a key-value cache. A script has calls with several tokens
 * and with one, rewinds, copies of sequences and rejected calls, and alternates between two states.
 *
 *     play-decoder SCRIPTS [WEIGHTS [AT_ONCE [FIRST]]]
 *
 * The program plays SCRIPTS scripts, AT_ONCE of them concurrently, each on its own thread. The first seed is FIRST
 * (default: 1). The program finds accesses outside of a state: the memory of the state ends at an inaccessible page or,
 * with AddressSanitizer, is a block of exactly its size. AddressSanitizer also guards arguments, results and arenas.
 * Before a call, unfilled rows are NaN. After the call, only the new rows and the numbers of filled rows may differ.
 * The program prints all logits, so that the results of code for several machines can be compared; tokens depend only
 * on the seed. The program is linked with a library that was compiled with `--decoder --name lm`. The weights are in
 * the library or in the file WEIGHTS. With -DPLAY_EXECUTOR and the runtime's executor, the calls of every other script
 * have two threads. */
#include "heddle/executor.h"
#include "heddle/model.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#ifndef PLAY_SHORT /* makes results too short by this number of bytes, to check that the error is detected */
#define PLAY_SHORT 0
#endif

const struct heddle_model *lm_describe(void);

enum { BATCH = 3, ROWS = 6, CAPACITY = 32, CALLS = 8, STATES = 2, AT_ONCE = 16 };

static const struct heddle_model *model;
static void *instance;

/* The state of one thread that plays scripts. */
struct player {
  unsigned seed;
  int script;
  size_t sizes[3];                       /* the sizes of the next call, in the order of model->sizes */
  const struct heddle_executor *threads; /* NULL if calls run on this thread only */
  FILE *results;                         /* a stream that stores the printed results in `text` */
  char *text;
  size_t length; /* of `text`, in bytes */
};

/* Returns a random number that is less than `count`. */
static size_t below(struct player *player, size_t count) {
  player->seed = player->seed * 1103515245u + 12345u;
  return (player->seed >> 16) % count;
}

/* Exits with the message `what` and `number` if `is` is 0. */
static void expect(int is, const char *what, int number) {
  if (!is)
    fprintf(stderr, "%s: %d\n", what, number), exit(1);
}

static void *allocate(size_t size) {
  void *memory = malloc(size ? size : 1);
  expect(memory != NULL, "out of memory", 0);
  return memory;
}

/* Sets the size `name` of later calls. */
static void set(struct player *player, const char *name, size_t value) {
  uint64_t i;
  for (i = 0; i < model->size_count; ++i)
    if (strcmp(model->sizes[i].name, name) == 0)
      player->sizes[i] = value;
}

static int64_t value_of(const struct player *player, const struct heddle_expression *expression) {
  int64_t value = -1;
  expect(heddle_evaluate(expression, player->sizes, model->size_count, &value), "no value", 0);
  return value;
}

/* Returns the index of the tensor `name`. */
static size_t number(const char *name, const struct heddle_tensor *tensors, uint64_t count) {
  uint64_t i;
  for (i = 0; i < count; ++i)
    if (strcmp(tensors[i].name, name) == 0)
      return i;
  expect(0, name, -1);
  return 0;
}

#ifdef __SANITIZE_ADDRESS__ /* AddressSanitizer guards both ends of a block */
/* Allocates memory with the minimum alignment of a state, 8 bytes. */
static void *guard(size_t size) {
  char *memory = allocate(size + 8);
  __asan_poison_memory_region(memory, 8);
  return memory + 8;
}
static void release(void *memory, size_t size) {
  (void)size;
  __asan_unpoison_memory_region((char *)memory - 8, 8);
  free((char *)memory - 8);
}
#else
static size_t page(void) { return (size_t)sysconf(_SC_PAGESIZE); }

/* Returns the number of bytes of the pages that hold `size` bytes. */
static size_t inside(size_t size) { return (size + page() - 1) / page() * page(); }

/* Allocates memory that ends at an inaccessible page. */
static void *guard(size_t size) {
  char *pages = mmap(NULL, inside(size) + page(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  expect(pages != MAP_FAILED && mprotect(pages + inside(size), page(), PROT_NONE) == 0, "no guard page", 0);
  return pages + inside(size) - size;
}
static void release(void *memory, size_t size) { munmap((char *)memory + size - inside(size), inside(size) + page()); }
#endif

/* In each tensor of the state, sets rows first[b] to last[b] - 1 of each sequence b to NaN or, if `other` is not NULL,
 * to the same rows of the state `other`. */
static void set_rows(const struct player *player, char *memory, const char *other, const int64_t *first,
                     const int64_t *last, size_t batch) {
  const struct heddle_state *state = model->states;
  uint64_t t;
  size_t b;
  int64_t h;
  for (t = 0; t < state->tensor_count; ++t) {
    const struct heddle_tensor *tensor = &state->tensors[t];
    int64_t heads = heddle_extent(model, tensor, 1, player->sizes),
            rows = heddle_extent(model, tensor, 2, player->sizes);
    size_t row = (size_t)heddle_extent(model, tensor, 3, player->sizes) * heddle_type_size(tensor->type);
    int64_t offset = value_of(player, &state->offsets[t]);
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

/* Makes one call on a state of `batch` sequences with room for `capacity` rows. In a quarter of the calls, one sequence
 * is first copied to another. About a quarter of the sequences is then rewound to a random number of rows (`past`). An
 * invalid call, which must be rejected, precedes the valid call. */
static void call(struct player *player, const struct heddle_state_memory *memory, size_t batch, size_t capacity) {
  const struct heddle_state *state = model->states;
  size_t ids = number("input_ids", model->inputs, model->input_count);
  size_t logits = number("logits", model->outputs, model->output_count);
  size_t rows = below(player, 2) ? 1 : 1 + below(player, ROWS), count, arena_size, b, i;
  int64_t ends[BATCH], all[BATCH], *past = allocate(batch * sizeof *past),
                                   *token = allocate(batch * rows * sizeof *token);
  const void *inputs[8] = {0};
  void *outputs[8] = {0}, *arena;
  char *before = allocate(memory->size);
  int64_t *filled;
  float *results;
  enum heddle_status status;
  set(player, "sequence_length", rows);
  filled = (int64_t *)((char *)memory->memory + value_of(player, &state->filled));
  if (below(player, 4) == 0) { /* in separate statements, since the order of arguments is unspecified */
    size_t from = below(player, batch), to = below(player, batch);
    expect(state->copy(instance, memory, from, to) == HEDDLE_OK, "no copy", player->script);
  }
  for (b = 0; b < batch; ++b) {
    int64_t room = (int64_t)(capacity - rows), maximum = filled[b] < room ? filled[b] : room;
    past[b] = below(player, 4) ? maximum : (int64_t)below(player, (size_t)maximum + 1);
    ends[b] = past[b] + (int64_t)rows;
    all[b] = (int64_t)capacity;
  }
  set_rows(player, memory->memory, NULL, past, all, batch);
  memcpy(before, memory->memory, memory->size);
  for (i = 0; i < batch * rows; ++i)
    token[i] = (int64_t)below(player, (size_t)model->inputs[ids].high + 1);
  count = batch * (size_t)heddle_extent(model, &model->outputs[logits], 1, player->sizes);
  results = allocate(count * sizeof *results - PLAY_SHORT);
  arena_size = model->arena_size(player->sizes, player->threads ? player->threads->threads : 1);
  arena = allocate(arena_size);
  memset(arena, 0xff, arena_size);
  inputs[ids] = token;
  inputs[state->past] = past;
  inputs[number("state", model->inputs, model->input_count)] = memory;
  outputs[logits] = results;
  past[0] += 1000; /* the call must be rejected without changing the state */
  status = model->run(instance, player->sizes, inputs, outputs, arena, arena_size, player->threads);
  expect(status == HEDDLE_STATE_NOT_FILLED && memcmp(before, memory->memory, memory->size) == 0,
         "a call with an invalid past was not rejected, or changed the state", (int)status);
  past[0] -= 1000;
  status = model->run(instance, player->sizes, inputs, outputs, arena, arena_size, player->threads);
  expect(status == HEDDLE_OK, heddle_status_text((int)status), player->script);
  set_rows(player, before, memory->memory, past, ends, batch);
  memcpy(before + value_of(player, &state->filled), ends, batch * sizeof *ends);
  expect(memcmp(before, memory->memory, memory->size) == 0,
         "rows other than the new ones changed, or the numbers of filled rows are wrong", player->script);
  for (i = 0; i < count; ++i)
    fprintf(player->results, "%.9g\n", (double)results[i]);
  free(arena), free(results), free(before), free(token), free(past);
}

static void *play(void *data) {
  struct player *player = data;
  const struct heddle_state *state = model->states;
  size_t batch = 1 + below(player, BATCH), capacity = ROWS + below(player, CAPACITY - ROWS + 1);
  struct heddle_state_memory memories[STATES];
  int i;
  player->results = open_memstream(&player->text, &player->length);
  expect(player->results != NULL, "out of memory", 0);
  set(player, "batch_size", batch), set(player, "sequence_length", 1), set(player, "capacity", capacity);
  for (i = 0; i < STATES; ++i) {
    memories[i].size = state->size(player->sizes);
    memories[i].memory = guard(memories[i].size);
    expect(state->init(instance, &memories[i], player->sizes) == HEDDLE_OK, "a state is not initialised",
           player->script);
  }
  for (i = 0; i < CALLS; ++i)
    call(player, &memories[below(player, STATES)], batch, capacity);
  for (i = 0; i < STATES; ++i)
    release(memories[i].memory, memories[i].size);
  fclose(player->results);
  return NULL;
}

static void *read_weights(const char *path) {
  FILE *file = fopen(path, "rb");
  void *weights;
  expect(file != NULL, path, -1);
  weights = allocate(model->weights_size);
  expect(fread(weights, 1, model->weights_size, file) == model->weights_size, "too few weights", 0);
  fclose(file);
  return weights;
}

int main(int count, char **arguments) {
  int scripts = count > 1 ? atoi(arguments[1]) : 1, at_once = count > 3 ? atoi(arguments[3]) : 1;
  int first = count > 4 ? atoi(arguments[4]) : 1, script, i;
  void *weights = NULL;
  struct player players[AT_ONCE];
  pthread_t threads[AT_ONCE];
  struct heddle_executor *two = NULL;
#ifdef PLAY_EXECUTOR
  two = heddle_executor_create(2);
#endif
  model = lm_describe();
  expect(model->abi == HEDDLE_ABI_VERSION && model->state_count == 1 && model->size_count == 3, "another model", 0);
  expect(at_once > 0 && at_once <= AT_ONCE, "too many at once", at_once);
  if (count > 2)
    weights = read_weights(arguments[2]);
  instance = allocate(model->instance_size);
  memset(instance, 0, model->instance_size);
  expect(model->init(instance, NULL, weights, weights ? model->weights_size : 0) == HEDDLE_OK, "not initialised", 0);
  for (script = 0; script < scripts; script += at_once) {
    int now = scripts - script < at_once ? scripts - script : at_once;
    for (i = 0; i < now; ++i) {
      memset(&players[i], 0, sizeof players[i]);
      players[i].script = first + script + i;
      players[i].seed = (unsigned)players[i].script;
      players[i].threads = players[i].script % 2 ? NULL : two;
      expect(pthread_create(&threads[i], NULL, play, &players[i]) == 0, "no thread", i);
    }
    for (i = 0; i < now; ++i) {
      pthread_join(threads[i], NULL);
      fwrite(players[i].text, 1, players[i].length, stdout);
      free(players[i].text);
    }
  }
#ifdef PLAY_EXECUTOR
  heddle_executor_destroy(two);
#endif
  free(instance);
  free(weights);
  return 0;
}
