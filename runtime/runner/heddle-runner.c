/* heddle-runner.c - calls a library that heddle compiled, on the machine that the library is for.
 *
 * usage: heddle-runner [OPTIONS] LIBRARY                prints the model's name, source, variants, sizes, inputs
 *                                                       and outputs as JSON
 *        heddle-runner [OPTIONS] LIBRARY INPUT OUTPUT   runs the model with the inputs in a .safetensors file, where
 *                                                       tensors have the inputs' names, and writes the outputs to
 *                                                       another .safetensors file
 * options: --weights FILE   the file of the weights, if they are not in the library
 *          --variant NAME   the variant to use instead of the best one for this CPU
 *
 * The program needs only libc and libdl. To build it, use a compiler CC for the machine of the library:
 *   CC -O2 -I runtime/include $(find runtime -name '*.c') -ldl -o heddle-runner */
#include "tensorfile.h"

#include "../tensors/json.h"
#include "heddle/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *what) {
  fprintf(stderr, "heddle-runner: error: %s\n", what);
  return 1;
}

/* Prints a text as a JSON string. */
static void print_json_string(const char *text) {
  char escaped[6];
  putchar('"');
  for (; *text; ++text)
    fwrite(escaped, 1, heddle_json_escape(*text, escaped), stdout);
  putchar('"');
}

/* Prints the tensors as a member `key` of a JSON object. */
static void describe(const char *key, const struct heddle_tensor *tensors, uint64_t count) {
  printf("\"%s\":[", key);
  for (uint64_t i = 0; i < count; ++i) {
    const struct heddle_tensor *tensor = &tensors[i];
    printf("%s{\"name\":", i ? "," : "");
    print_json_string(tensor->name);
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
  print_json_string(model->name);
  printf(",\"source\":");
  print_json_string(model->source);
  printf(",\"variants\":[");
  for (uint64_t i = 0; i < model->variant_count; ++i) {
    printf("%s", i ? "," : "");
    print_json_string(model->variants[i].name);
  }
  printf("],\"sizes\":[");
  for (uint64_t i = 0; i < model->size_count; ++i) {
    printf("%s{\"name\":", i ? "," : "");
    print_json_string(model->sizes[i].name);
    printf(",\"low\":%lld,\"high\":%lld}", (long long)model->sizes[i].low, (long long)model->sizes[i].high);
  }
  printf("],");
  describe("inputs", model->inputs, model->input_count);
  printf(",");
  describe("outputs", model->outputs, model->output_count);
  printf("}\n");
}

/* Allocates `size` bytes, aligned to 64 bytes. They are a copy of `source`. If `source` is NULL, all are 0xff: each
 * floating-point element is then NaN. */
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

/* Stores the model's inputs that the file contains, with copies of their elements, and returns their number. On
 * failure, stores the reason in *wrong. */
static size_t read_inputs(const struct heddle_model *model, const struct tensor_file *file, struct heddle_array *inputs,
                          const char **wrong) {
  size_t count = 0;
  for (uint64_t i = 0; i < model->input_count && !*wrong; ++i) {
    struct heddle_array *input = &inputs[count];
    if (!tensor_file_find(file, model->inputs[i].name, input))
      continue;
    ++count;
    if (input->type && !(input->place.host = allocate(input->place.host, array_bytes(input))))
      *wrong = "too little memory";
  }
  return count;
}

/* Allocates all outputs and fills them with NaN. Returns NULL, or the reason of a failure. */
static const char *make_outputs(const struct heddle_model *model, const struct heddle_call *call,
                                struct heddle_array *outputs) {
  for (uint64_t i = 0; i < model->output_count; ++i) {
    const struct heddle_tensor *tensor = &model->outputs[i];
    outputs[i] = (struct heddle_array){tensor->name, tensor->type, tensor->rank, heddle_call_output_shape(call, i), NULL,
                                       {NULL, NULL, 0}};
    if (!(outputs[i].place.host = allocate(NULL, array_bytes(&outputs[i]))))
      return "too little memory";
  }
  return NULL;
}

/* Runs the model once with the inputs in the file `input`, and writes the file `output`. Returns the exit status. */
static int run(const struct heddle_instance *instance, const char *input, const char *output) {
  const struct heddle_model *model = heddle_instance_model(instance);
  struct heddle_call *call = heddle_call_create(instance);
  struct heddle_array *inputs = calloc(model->input_count + 1, sizeof *inputs);
  struct heddle_array *outputs = calloc(model->output_count + 1, sizeof *outputs);
  struct tensor_file file;
  if (!call || !inputs || !outputs)
    return fail("too little memory");
  const char *wrong = tensor_file_read(&file, input);
  if (wrong)
    return fail(wrong);
  size_t count = read_inputs(model, &file, inputs, &wrong);
  if (!wrong && heddle_call_bind(call, inputs, count) != HEDDLE_OK)
    wrong = heddle_call_error(call);
  if (!wrong)
    wrong = make_outputs(model, call, outputs);
  if (!wrong && heddle_call_reserve(call, heddle_call_sizes(call), 1) != HEDDLE_OK)
    wrong = heddle_call_error(call);
  if (wrong)
    return fail(wrong);
  size_t arena_size;
  void *arena = heddle_call_arena(call, &arena_size);
  memset(arena, 0xff, arena_size); /* NaN, to reveal a call that reads bytes before it has written them */
  if (heddle_call_run(call, outputs, (size_t)model->output_count, NULL) != HEDDLE_OK)
    return fail(heddle_call_error(call));
  wrong = tensor_file_write(output, outputs, (size_t)model->output_count);
  return wrong ? fail(wrong) : 0;
}

int main(int argc, char **argv) {
  struct heddle_instance_options options = {.struct_size = sizeof options};
  for (; argc > 2 && strncmp(argv[1], "--", 2) == 0; argc -= 2, argv += 2) {
    if (strcmp(argv[1], "--weights") == 0)
      options.weights_path = argv[2];
    else if (strcmp(argv[1], "--variant") == 0)
      options.variant = argv[2];
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
  if (argc == 2) {
    describe_model(heddle_library_model(library));
    return 0;
  }
  if (heddle_library_model(library)->device)
    return fail("the library's code is for a device, but heddle-runner runs only code for a CPU");
  struct heddle_instance *instance =
      heddle_instance_create(heddle_library_model(library), &options, reason, sizeof reason);
  return instance ? run(instance, argv[2], argv[3]) : fail(reason);
}
