/* heddle-runner.c - calls a library that heddle compiled, on the machine that it was compiled for.
 *
 * usage: heddle-runner [OPTIONS] LIBRARY                the library's inputs, outputs and variants, as JSON
 *        heddle-runner [OPTIONS] LIBRARY INPUT OUTPUT   runs it: .safetensors files, tensors by name
 * options: --weights FILE   the library's weights, where they are in a file of their own
 *          --variant NAME   the code for this CPU, not the best for the one that this runs on
 *
 * Needs libc and dl alone:
 *   CC -O2 -I runtime/include runtime/runner/heddle-runner.c runtime/runner/safetensors.c \
 *     runtime/runner/sizes.c runtime/elf.c runtime/library.c runtime/model.c -ldl -o heddle-runner */
#include "sizes.h"

#include "heddle/library.h"

#include <stdlib.h>
#include <string.h>

static int fail(const char *what) {
  fprintf(stderr, "heddle-runner: error: %s\n", what);
  return 1;
}

static void describe(const char *key, const struct heddle_tensor *tensors, uint64_t count) {
  printf("\"%s\":[", key);
  for (uint64_t i = 0; i < count; ++i) {
    const struct heddle_tensor *tensor = &tensors[i];
    printf("%s{\"name\":", i ? "," : "");
    print_json_string(stdout, tensor->name);
    printf(",\"type\":%u,\"shape\":[", tensor->type);
    for (uint32_t d = 0; d < tensor->rank; ++d)
      printf("%s%lld", d ? "," : "", (long long)tensor->shape[d]);
    if (tensor->extents)
      printf("],\"extents\":[");
    for (uint32_t d = 0; tensor->extents && d < tensor->rank; ++d) {
      printf("%s[", d ? "," : "");
      for (uint64_t w = 0; w < tensor->extents[d].words; ++w)
        printf("%s%lld", w ? "," : "", (long long)tensor->extents[d].code[w]);
      printf("]");
    }
    printf("],\"optional\":%s}", tensor->flags & HEDDLE_OPTIONAL ? "true" : "false");
  }
  printf("]");
}

static void describe_model(const struct heddle_model *model) {
  printf("{\"name\":");
  print_json_string(stdout, model->name);
  printf(",\"variants\":[");
  for (uint64_t i = 0; i < model->variant_count; ++i) {
    printf("%s", i ? "," : "");
    print_json_string(stdout, model->variants[i].name);
  }
  printf("],\"sizes\":[");
  for (uint64_t i = 0; i < model->size_count; ++i) {
    printf("%s{\"name\":", i ? "," : "");
    print_json_string(stdout, model->sizes[i].name);
    printf(",\"low\":%lld,\"high\":%lld}", (long long)model->sizes[i].low, (long long)model->sizes[i].high);
  }
  printf("],");
  describe("inputs", model->inputs, model->input_count);
  printf(",");
  describe("outputs", model->outputs, model->output_count);
  printf("}\n");
}

/* A copy that is aligned; bytes of 0xff, which are NaN, where there is nothing to copy. */
static void *allocate(const void *source, size_t size) {
  void *copy = NULL;
  if (posix_memalign(&copy, 64, size ? size : 1) != 0)
    return NULL;
  if (source)
    memcpy(copy, source, size);
  else
    memset(copy, 0xff, size ? size : 1);
  return copy;
}

static const char *read_weights(const char *path, void **weights, size_t *size) {
  if (!path)
    return NULL;
  FILE *file = fopen(path, "rb");
  long length = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  if (length < 0 || fseek(file, 0, SEEK_SET) != 0)
    return "the weights cannot be read";
  *size = (size_t)length;
  *weights = allocate(NULL, *size);
  size_t got = *weights ? fread(*weights, 1, *size, file) : 0;
  fclose(file);
  return got == *size ? NULL : "the weights cannot be read";
}

/* Whether the library has that code; NULL is the best. */
static int has_variant(const struct heddle_model *model, const char *name) {
  int found = !name;
  for (uint64_t i = 0; i < model->variant_count; ++i)
    found |= name && strcmp(name, model->variants[i].name) == 0;
  return found;
}

static int run(const struct heddle_model *model, const char *variant, const char *weights_path, const char *input,
               const char *output) {
  if (model->device)
    return fail("the library's code is for a device");
  struct tensor_file file;
  size_t *sizes = calloc(model->size_count + 1, sizeof *sizes);
  if (!sizes)
    return fail("too little memory");
  const char *wrong = tensor_file_read(&file, input);
  if (!wrong)
    wrong = sizes_find(model, &file, sizes);
  if (wrong)
    return fail(wrong);
  const struct heddle_tensor *takes = tensors_at(model, model->inputs, model->input_count, sizes);
  const struct heddle_tensor *gives = tensors_at(model, model->outputs, model->output_count, sizes);
  const void **inputs = calloc(model->input_count + 1, sizeof *inputs);
  void **outputs = calloc(model->output_count + 1, sizeof *outputs);
  void *weights = NULL;
  size_t weights_size = 0, arena_size = model->arena_size(sizes, 1);
  void *arena = allocate(NULL, arena_size), *state = allocate(NULL, (size_t)model->instance_size);
  if (!takes || !gives || !inputs || !outputs || !arena || !state)
    return fail("too little memory");
  for (uint64_t i = 0; i < model->input_count && !wrong; ++i) {
    const void *data;
    wrong = tensor_file_find(&file, &takes[i], &data);
    if (!wrong && data && !(inputs[i] = allocate(data, tensor_bytes(&takes[i]))))
      wrong = "too little memory";
  }
  for (uint64_t i = 0; i < model->output_count && !wrong; ++i)
    if (!(outputs[i] = allocate(NULL, tensor_bytes(&gives[i]))))
      wrong = "too little memory";
  if (!wrong)
    wrong = read_weights(weights_path, &weights, &weights_size);
  int status = HEDDLE_OK;
  if (!wrong)
    status = model->init(state, variant, weights, weights_size);
  if (!wrong && status == HEDDLE_OK)
    status = model->run(state, sizes, inputs, outputs, arena, arena_size, NULL);
  if (!wrong && status != HEDDLE_OK)
    wrong = heddle_status_text(status);
  if (!wrong)
    wrong = tensor_file_write(output, gives, outputs, model->output_count);
  return wrong ? fail(wrong) : 0;
}

int main(int argc, char **argv) {
  const char *weights = NULL, *variant = NULL;
  for (; argc > 2 && strncmp(argv[1], "--", 2) == 0; argc -= 2, argv += 2) {
    if (strcmp(argv[1], "--weights") == 0)
      weights = argv[2];
    else if (strcmp(argv[1], "--variant") == 0)
      variant = argv[2];
    else
      argc = 0;
  }
  if (argc != 2 && argc != 4) {
    fprintf(stderr, "usage: heddle-runner [--weights FILE] [--variant NAME] LIBRARY "
                    "[INPUT.safetensors OUTPUT.safetensors]\n");
    return 2;
  }
  char reason[512];
  struct heddle_library *library = heddle_library_open(argv[1], reason, sizeof reason);
  if (!library)
    return fail(reason);
  const struct heddle_model *model = heddle_library_model(library);
  if (!has_variant(model, variant))
    return fail("the library has no such variant");
  if (argc == 4)
    return run(model, variant, weights, argv[2], argv[3]);
  describe_model(model);
  return 0;
}
