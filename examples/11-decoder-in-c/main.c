/* Generates tokens with a decoder, the most likely token each time.
 *
 *     decoder COUNT ID... [-BACK ID...]...
 *
 * COUNT tokens are generated after the ids. -BACK removes the last BACK tokens, the ids after it are appended, and
 * COUNT tokens are generated again. Keys and values of earlier tokens stay in a state in the program's memory, so each
 * token is processed once. run.sh builds the program. */
#include "lm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = LM_MAX_CAPACITY };

static int64_t text[CAPACITY + 1];
static size_t length, seen; /* the numbers of tokens in `text`, and of those whose keys and values are in the state */

/* Returns the number in the text; -1 if the text is anything but one to nine digits. */
static long number(const char *digits) {
  size_t count = strspn(digits, "0123456789");
  return count > 0 && count < 10 && !digits[count] ? atol(digits) : -1;
}

/* Processes the tokens of the text that are not in the state, at most LM_MAX_SEQUENCE_LENGTH in a call. The last call
 * determines the next token, *args->next_token. */
static enum heddle_status read_text(const struct lm *model, struct lm_args *args, void *arena, size_t arena_size) {
  enum heddle_status status = HEDDLE_OK;
  while (seen < length && !status) {
    int64_t past = (int64_t)seen; /* the call keeps this number of the state's rows */
    size_t rest = length - seen;
    args->sequence_length = rest < LM_MAX_SEQUENCE_LENGTH ? rest : LM_MAX_SEQUENCE_LENGTH;
    args->input_ids = text + seen;
    args->past = &past;
    status = lm_run(model, args, arena, arena_size, NULL);
    seen += args->sequence_length;
  }
  return status;
}

/* Generates `count` tokens, prints them and appends them to the text. */
static enum heddle_status generate(long count, const struct lm *model, struct lm_args *args, void *arena,
                                   size_t arena_size) {
  enum heddle_status status = HEDDLE_OK;
  long i;
  for (i = 0; i < count && !status; ++i) {
    if (length > CAPACITY)
      return HEDDLE_STATE_FULL;
    status = read_text(model, args, arena, arena_size);
    if (!status) {
      text[length++] = *args->next_token;
      printf("%s%ld", i ? " " : "", (long)*args->next_token);
    }
  }
  printf("\n");
  return status;
}

int main(int argc, char **argv) {
  struct lm model;
  struct lm_state state = {NULL, 0};
  struct lm_args args = {0};
  int64_t next;
  size_t arena_size = lm_arena_size(1, LM_MAX_SEQUENCE_LENGTH, CAPACITY, 1);
  void *arena = malloc(arena_size);
  long count = argc > 2 ? number(argv[1]) : 0;
  enum heddle_status status;
  int i;
  if (count < 1)
    return fprintf(stderr, "usage: %s COUNT ID... [-BACK ID...]...\n", argv[0]), 2;
  for (i = 2; i < argc; ++i)
    if (number(argv[i] + (argv[i][0] == '-')) < 0)
      return fprintf(stderr, "%s: '%s' is neither ID nor -BACK with one to nine digits\n", argv[0], argv[i]), 2;
  state.size = lm_state_size(1, CAPACITY);
  state.memory = malloc(state.size);
  if (!arena || !state.memory)
    return fprintf(stderr, "out of memory\n"), 1;
  args.batch_size = 1;
  args.capacity = CAPACITY;
  args.state = &state;
  args.next_token = &next;
  status = lm_init(&model, NULL, 0);
  if (!status)
    status = lm_state_init(&model, &state, 1, CAPACITY);
  for (i = 2; i < argc && !status; ++i) {
    int back = argv[i][0] == '-';
    long id = number(argv[i] + back);
    /* -BACK: the last remaining token is processed again, since a call that determines the next token needs a token. */
    if (back) {
      length = length > (size_t)id ? length - (size_t)id : 0;
      seen = seen < length ? seen : length ? length - 1 : 0;
    } else if (length < CAPACITY) {
      text[length++] = id;
    } else {
      status = HEDDLE_STATE_FULL;
    }
    if (!status && length && (i + 1 == argc || (!back && argv[i + 1][0] == '-')))
      status = generate(count, &model, &args, arena, arena_size);
  }
  free(state.memory);
  free(arena);
  if (status)
    return fprintf(stderr, "%s\n", lm_status_text(status)), 1;
  return 0;
}
