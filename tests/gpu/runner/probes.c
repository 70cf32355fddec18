/* probes.c - compares the instructions of ptx/probes.ptx with their definitions in the PTX reference. */
#include "kit.h"

#include <math.h>
#include <string.h>

enum { LANES = 32, WORDS = 256 }; /* the threads of a workgroup, and the 32-bit elements of each buffer */
static const struct heddle_kernel probes[] = {{"arithmetic", 3, {LANES, 1, 1}, 0, 0, 0},
                                               {"shuffle", 3, {LANES, 1, 1}, 0, 0, 0},
                                               {"matrix", 3, {LANES, 1, 1}, 512, 0, 0},
                                               {"product", 3, {LANES, 1, 1}, 0, 0, 0}};

union words {
  uint32_t bits[WORDS];
  float floats[WORDS];
  uint16_t halves[2 * WORDS];
};

/* Runs the kernel with this index in `probes` on the buffers a and b. Prints `name` and `equal`, or the first of the
 * `count` elements of the buffer c that differs from the expected one. All NaNs are equal. Returns whether all elements
 * are equal. */
static int probe(struct text_program *program, uint64_t kernel, const char *name, const union words *a,
                 const union words *b, const union words *expected, int count) {
  /* The buffer c starts with the complement of the expected elements, so that an element that the kernel does not write
   * is never equal to the expected one. */
  union words buffers[3] = {*a, *b}, c;
  for (int i = 0; i < count; ++i)
    buffers[2].bits[i] = ~expected->bits[i];
  struct heddle_view views[3] = {{0, 0, sizeof *a}, {0, sizeof *a, sizeof *b}, {0, 2 * sizeof *a, sizeof c}};
  struct heddle_launch launch = {kernel, {1, 1, 1}, views, NULL};
  struct heddle_copy into = {buffers, 0, 0, sizeof buffers, NULL, 0}, out = {&c, 0, 2 * sizeof *a, sizeof c, NULL, 0};
  run_timed(program, 1, &launch, 1, sizeof buffers, &into, &out, NULL);
  for (int i = 0; i < count; ++i) {
    int both_nan = isnan(expected->floats[i]) && isnan(c.floats[i]);
    if (c.bits[i] == expected->bits[i] || both_nan)
      continue;
    printf("%s\tFAIL first at %d: %08x, expected %08x\n", name, i, c.bits[i], expected->bits[i]);
    return 0;
  }
  printf("%s\tequal\n", name);
  return 1;
}

/* The operands are special values and their combinations, and random numbers, some of which are denormal. */
static int arithmetic(struct text_program *program) {
  static const float special[] = {1e-40f,    -3e-45f, 1.1754942e-38f, 0.0f,  -0.0f, INFINITY,
                                  -INFINITY, NAN,     3e38f,          1e-20f};
  union words a, b = {{0}}, expected;
  struct random random = {3};
  for (int i = 0; i < LANES; ++i) {
    a.floats[i] = i < 10 ? special[i] : random_float(&random) * (i % 2 ? 1e-38f : 1.0f);
    b.floats[i] = i < 20 ? special[(i + 3) % 10] : random_float(&random);
  }
  for (int i = 0; i < LANES; ++i) {
    float x = a.floats[i], y = b.floats[i];
    expected.floats[i] = x * y;
    expected.floats[LANES + i] = x + y;
    expected.floats[2 * LANES + i] = fmaf(x, y, x);
    expected.floats[3 * LANES + i] = x / y;
    expected.floats[4 * LANES + i] = sqrtf(x);
  }
  return probe(program, 0, "denormals, rounding, infinities", &a, &b, &expected, 5 * LANES);
}

static int shuffle(struct text_program *program) {
  union words a, expected;
  for (uint32_t i = 0; i < LANES; ++i) {
    a.bits[i] = 1000 + i;
    expected.bits[i] = 1000 + (i ^ 5);
    expected.bits[LANES + i] = 1000 + (i + 3 < LANES ? i + 3 : i);
  }
  return probe(program, 1, "shfl.sync", &a, &a, &expected, 2 * LANES);
}

/* ldmatrix of four 8 x 8 matrices: register i of lane l holds row l / 4, columns 2 * (l % 4) and 2 * (l % 4) + 1, of
 * matrix i. Lanes 8 * i to 8 * i + 7 pass the row addresses of matrix i. Matrices 0 and 1 are the upper and lower half
 * of the left 8 columns; matrices 2 and 3 are the upper and lower half of the right 8 columns. */
static int matrix(struct text_program *program) {
  union words a, expected;
  for (uint32_t i = 0; i < 2 * WORDS; ++i)
    a.halves[i] = (uint16_t)i;
  for (int lane = 0; lane < LANES; ++lane)
    for (int i = 0; i < 4; ++i) {
      int row = lane / 4 + 8 * (i % 2), column = 2 * (lane % 4) + 8 * (i / 2);
      expected.halves[2 * (4 * lane + i)] = a.halves[16 * row + column];
      expected.halves[2 * (4 * lane + i) + 1] = a.halves[16 * row + column + 1];
    }
  return probe(program, 2, "cp.async, ldmatrix", &a, &a, &expected, 4 * LANES);
}

/* Returns the bits of `value`, which must be representable in bf16. */
static uint16_t bf16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return (uint16_t)(bits >> 16);
}

/* Computes left x right with one mma.sync. The loops over lanes store the elements in the order in which the PTX
 * reference assigns them to the registers of a lane. The operands are small integers, so that all sums are exact. */
static int product(struct text_program *program) {
  float left[16][16], right[16][8];
  struct random random = {4};
  for (int i = 0; i < 256; ++i)
    left[i / 16][i % 16] = (float)(int)(random_bits(&random) % 17) - 8;
  for (int i = 0; i < 128; ++i)
    right[i / 8][i % 8] = (float)(int)(random_bits(&random) % 17) - 8;
  union words a, b, expected;
  for (int lane = 0; lane < LANES; ++lane) {
    int group = lane / 4, pair = 2 * (lane % 4);
    for (int i = 0; i < 4; ++i)
      for (int half = 0; half < 2; ++half)
        a.halves[2 * (4 * lane + i) + half] = bf16(left[group + 8 * (i % 2)][pair + half + 8 * (i / 2)]);
    for (int i = 0; i < 2; ++i)
      for (int half = 0; half < 2; ++half)
        b.halves[2 * (2 * lane + i) + half] = bf16(right[pair + half + 8 * i][group]);
    for (int i = 0; i < 4; ++i) {
      float sum = 0;
      for (int k = 0; k < 16; ++k)
        sum += left[group + 8 * (i / 2)][k] * right[k][pair + i % 2];
      expected.floats[4 * lane + i] = sum;
    }
  }
  return probe(program, 3, "mma.sync bf16", &a, &b, &expected, 4 * LANES);
}

int probes_command(int argc, char **argv) {
  struct heddle_device *device = open_device(argv[0]);
  struct text_program program = load_text(device, argv[1], probes, 4);
  check_status(device, device->allocate(device->self, 3 * sizeof(union words), &program.memories[0]), "allocate");
  int good = arithmetic(&program);
  good &= shuffle(&program);
  good &= matrix(&program);
  good &= product(&program);
  return !good;
}
