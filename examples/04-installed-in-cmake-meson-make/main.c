/* Embeds sentences of any length up to MOST tokens. The build of this program calls an installed Heddle to compile the
 * model. Tensors are passed by name; the runtime checks their types and shapes. Each of CMakeLists.txt, meson.build and
 * Makefile can build the program. usage: sentences ID... [, ID...]...: token ids, with a comma between sentences */
#include "encoder.h"

#include <heddle/call.h>
#include <heddle/executor.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = ENCODER_MAX_SEQUENCE_LENGTH };

/* Returns the index of the output with this name, which the model must have. */
static size_t output_named(const struct heddle_model *model, const char *name) {
  size_t i = 0;
  while (i + 1 < model->output_count && strcmp(model->outputs[i].name, name) != 0)
    ++i;
  return i;
}

/* Embeds one sentence of `count` token ids and prints the first numbers of its embedding. `output` is the index of the
 * model's output sentence_embedding. */
static enum heddle_status embed(struct heddle_call *call, size_t output, int64_t *ids, int64_t count,
                                const struct heddle_executor *executor) {
  const int64_t shape[] = {1, count};
  const struct heddle_array input = {"input_ids", HEDDLE_I64, 2, shape, NULL, {ids, NULL, 0}};
  struct heddle_array embedding = {"sentence_embedding", HEDDLE_F32, 2, NULL, NULL, {NULL, NULL, 0}};
  enum heddle_status status = heddle_call_bind(call, &input, 1);
  float *values;
  if (status)
    return status;
  embedding.shape = heddle_call_output_shape(call, output);
  values = malloc(sizeof *values * (size_t)embedding.shape[1]);
  if (!values)
    return HEDDLE_ARENA_TOO_SMALL;
  embedding.place.host = values;
  status = heddle_call_run(call, &embedding, 1, executor);
  if (!status)
    printf("%d tokens: %.5f %.5f %.5f ...\n", (int)count, values[0], values[1], values[2]);
  free(values);
  return status;
}

int main(int argc, char **argv) {
  char error[512] = "out of memory";
  struct heddle_instance *encoder = heddle_instance_create(encoder_describe(), NULL, error, sizeof error);
  struct heddle_call *call = encoder ? heddle_call_create(encoder) : NULL;
  struct heddle_executor *executor = heddle_executor_create(0);
  enum heddle_status status = call ? HEDDLE_OK : HEDDLE_INVALID_ARGUMENT;
  int64_t ids[MOST + 1], count = 0; /* the sentence, truncated to MOST ids */
  int i;
  for (i = 1; i <= argc && !status; ++i) {
    if (i < argc && strcmp(argv[i], ",") != 0) {
      ids[count < MOST ? count++ : MOST] = strtoll(argv[i], NULL, 10); /* excess ids are stored in ids[MOST] */
      continue;
    }
    status = embed(call, output_named(heddle_instance_model(encoder), "sentence_embedding"), ids, count, executor);
    count = 0;
  }
  if (status)
    fprintf(stderr, "%s\n", call ? heddle_call_error(call) : error);
  heddle_executor_destroy(executor);
  heddle_call_destroy(call);
  heddle_instance_destroy(encoder);
  return status ? 1 : 0;
}
