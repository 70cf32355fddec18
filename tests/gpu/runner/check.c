/* check.c - the commands `inputs`, `check` and `sample`, which compare outputs with expected values. */
#include "kit.h"

#include <math.h>
#include <string.h>

int inputs_command(int argc, char **argv) {
  struct model model = open_model(argv[0], NULL, NULL);
  fill_inputs(&model, strtoull(argv[2], NULL, 10));
  const char *wrong = tensor_file_write(argv[1], model.inputs, model.description->input_count);
  if (wrong)
    stop("%s", wrong);
  return 0;
}

/* Returns the larger error; NaN if one of them is NaN. */
static double worse(double left, double right) { return isnan(left) || left >= right ? left : right; }

/* Prints the maximum error of an output and, if an error exceeds the bound, the first such element. Returns whether all
 * errors are within the bound. An error of NaN exceeds every bound. `what` is the first word of the printed line. */
static int compare_output(const char *what, const struct heddle_array *output, const struct heddle_array *expected,
                          double bound) {
  size_t count = count_floats(output), first = count;
  double worst = 0;
  for (size_t i = 0; i < count; ++i) {
    double error = fabs(float_at(output, i) - float_at(expected, i));
    if (!(error <= bound) && first == count)
      first = i;
    worst = worse(worst, error);
  }
  printf("%s\t%s\t%.3g\t%.3g\t", what, output->name, worst, bound);
  if (first == count)
    printf("ok\n");
  else
    printf("FAIL first at %zu: %.9g, expected %.9g\n", first, float_at(output, first), float_at(expected, first));
  return first == count;
}

int check_command(int argc, char **argv) {
  struct heddle_device *device = open_device(argv[0]);
  struct model model = open_model(argv[1], argv[2], device);
  read_inputs(&model, argv[3]);
  prepare_call(&model);
  run_call(&model);
  struct tensor_file file;
  const char *wrong = tensor_file_read(&file, argv[4]);
  if (wrong)
    stop("%s", wrong);
  int good = 1;
  for (uint64_t i = 0; i < model.description->output_count; ++i) {
    struct heddle_array expected;
    if (!tensor_file_find(&file, model.outputs[i].name, &expected) || !is_float(expected.type) ||
        expected.type != model.outputs[i].type || array_bytes(&expected) != array_bytes(&model.outputs[i]))
      stop("%s: output %s is missing, has another type, or has another number of elements", argv[4],
           model.outputs[i].name);
    if (5 + (int)i >= argc)
      stop("%s: no bound for %s", argv[1], model.outputs[i].name);
    expected.place.host = memcpy(room(array_bytes(&expected)), expected.place.host, array_bytes(&expected));
    good &= compare_output(argv[1], &model.outputs[i], &expected, strtod(argv[5 + i], NULL));
  }
  return !good;
}

/* Returns the input `name`, which is on the host; NULL if there is no such input. */
static const struct heddle_array *find_input(const struct model *model, const char *name) {
  for (uint64_t i = 0; i < model->description->input_count; ++i)
    if (strcmp(model->description->inputs[i].name, name) == 0)
      return &model->inputs[i];
  return NULL;
}

/* Returns element `at` of the result of a linear layer, computed in f64. `at` is an index into all elements in
 * row-major order. Adds the magnitudes of the sum's terms to `*magnitude`, which the caller sets to 0: rounding errors
 * are proportional to this number. */
static double linear(const struct model *model, size_t at, double *magnitude) {
  const struct heddle_array *x = find_input(model, "input"), *w = find_input(model, "weight");
  size_t k = (size_t)w->shape[0], n = (size_t)w->shape[1];
  double sum = 0;
  for (size_t i = 0; i < k; ++i) {
    double product = float_at(x, at / n * k + i) * float_at(w, i * n + at % n);
    sum += product;
    *magnitude += fabs(product);
  }
  return sum;
}

/* Like linear, for a softmax over the rows of a matrix. The magnitude is the element itself. */
static double softmax(const struct model *model, size_t at, double *magnitude) {
  const struct heddle_array *x = find_input(model, "input");
  size_t n = (size_t)x->shape[1], row = at / n * n;
  double sum = 0, maximum = -INFINITY;
  for (size_t i = 0; i < n; ++i)
    maximum = fmax(maximum, float_at(x, row + i));
  for (size_t i = 0; i < n; ++i)
    sum += exp(float_at(x, row + i) - maximum);
  return *magnitude = exp(float_at(x, at) - maximum) / sum;
}

/* Like linear, for an attention operation without masks or other options, whose queries, keys and values have the same
 * number of heads. */
static double attention(const struct model *model, size_t at, double *magnitude) {
  const struct heddle_array *q = find_input(model, "q"), *k = find_input(model, "k"), *v = find_input(model, "v");
  size_t queries = (size_t)q->shape[2], keys = (size_t)k->shape[2], d = (size_t)q->shape[3], dv = (size_t)v->shape[3];
  size_t query = at / dv * d, head = at / dv / queries;
  double sum = 0, weighted = 0, maximum = -INFINITY, *scores = room(keys * sizeof *scores);
  for (size_t j = 0; j < keys; ++j) {
    for (size_t i = 0; i < d; ++i)
      scores[j] += float_at(q, query + i) * float_at(k, (head * keys + j) * d + i);
    scores[j] /= sqrt((double)d);
    maximum = fmax(maximum, scores[j]);
  }
  for (size_t j = 0; j < keys; ++j) {
    double weight = exp(scores[j] - maximum), value = float_at(v, (head * keys + j) * dv + at % dv);
    sum += weight;
    weighted += weight * value;
    *magnitude += fabs(weight * value);
  }
  *magnitude /= sum;
  free(scores);
  return weighted / sum;
}

/* The names of the inputs show which operation the model is: a linear layer, an attention or a softmax. */
int sample_command(int argc, char **argv) {
  struct heddle_device *device = open_device(argv[0]);
  struct model model = open_model(argv[1], NULL, device);
  fill_inputs(&model, 1);
  prepare_call(&model);
  run_call(&model);
  double (*reference)(const struct model *, size_t, double *) = find_input(&model, "weight") ? linear
                                                                : find_input(&model, "q")    ? attention
                                                                                             : softmax;
  const struct heddle_array *output = &model.outputs[0];
  struct random random = {2};
  size_t count = count_floats(output);
  double worst = 0;
  for (int sample = 0; sample < 256; ++sample) {
    size_t at = sample == 0 ? 0 : sample == 1 ? count - 1 : random_bits(&random) % count;
    double magnitude = 0, expected = reference(&model, at, &magnitude);
    double error = fabs(float_at(output, at) - expected);
    if (output->type != HEDDLE_F32) /* subtract the largest error that rounding the result can cause */
      error = fmax(error - rounding_of(output->type) * fabs(expected), error != error ? error : 0);
    worst = worse(worst, error / (magnitude + 1e-30));
  }
  /* The bound is much larger than the rounding error of f32, 6e-8, because rounding errors of long sums add up. */
  int good = worst <= 2e-5;
  printf("%s\t%s\t%.3g times the sum of the terms' magnitudes\t2e-05\t%s\n", argv[1], output->name, worst,
         good ? "ok" : "FAIL");
  return !good;
}
