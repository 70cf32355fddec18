/* A library with the interface of libraries that heddle compiles. Its code reads beyond the end of its input.
 * valgrind.test calls it to check that Valgrind detects such an access. */
#include "heddle/model.h"

static const int64_t shape[] = {3};
static const struct heddle_tensor input = {.name = "x", .type = HEDDLE_F32, .rank = 1, .shape = shape};
static const struct heddle_tensor output = {.name = "y", .type = HEDDLE_F32, .rank = 1, .shape = shape};

static enum heddle_status init(void *model, const char *variant, const void *weights, size_t size) {
  (void)model, (void)variant, (void)weights, (void)size;
  return HEDDLE_OK;
}
static const char *variant(const void *model) { return (void)model, "any"; }
static size_t arena_size(const size_t *sizes, size_t threads) { return (void)sizes, 64 * threads; }
static enum heddle_status run(const void *model, const size_t *sizes, const void *const *inputs, void *const *outputs,
                              void *arena, size_t arena_size, const struct heddle_executor *executor) {
  int i;
  (void)model, (void)sizes, (void)arena, (void)arena_size, (void)executor;
  for (i = 0; i < 3; ++i)
    ((float *)outputs[0])[i] = ((const volatile float *)inputs[0])[i + 30];
  return HEDDLE_OK;
}

static const struct heddle_model model = {.abi = HEDDLE_ABI_VERSION,
                                          .struct_size = sizeof model,
                                          .variant_stride = sizeof(struct heddle_variant),
                                          .size_stride = sizeof(struct heddle_size),
                                          .tensor_stride = sizeof(struct heddle_tensor),
                                          .name = "wrong",
                                          .source = "",
                                          .input_count = 1,
                                          .output_count = 1,
                                          .inputs = &input,
                                          .outputs = &output,
                                          .instance_size = 8,
                                          .init = init,
                                          .variant = variant,
                                          .arena_size = arena_size,
                                          .run = run};

const struct heddle_model *heddle_query(uint32_t abi) { return abi == HEDDLE_ABI_VERSION ? &model : NULL; }
