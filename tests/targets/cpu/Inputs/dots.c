/* Calls the functions that write_dots.py wrote, with random and with extreme numbers, and compares the results with
   sums of products that this program computes, or lookups of bytes in a table. Each function adds products of the
   vectors a and b to the vector c of sums; `lanes` is the number of sums. The arguments of the program are the features of an x86-64 CPU that the
   functions need. If the CPU lacks a feature, the program prints the feature's name and calls no function. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define DOT(kind, lanes, name) void name(const void *a, const void *b, void *c);
#include "dots.inc"
#undef DOT

enum kind { kind_unsigned, kind_signed, kind_words, kind_pairs, kind_bf16, kind_lookup };
static const struct {
  enum kind kind;
  int lanes;
  void (*call)(const void *, const void *, void *);
  const char *name;
} dots[] = {
#define DOT(kind, lanes, name) {kind_##kind, lanes, name, #name},
#include "dots.inc"
#undef DOT
};

/* Returns 24 random bits. */
static uint32_t state = 1;
static uint32_t draw(void) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

/* Checks sums of products of bytes. `is_unsigned` is whether the bytes of a are unsigned; those of b are always signed.
   If `extreme` is 1 or 2, the factors have the largest magnitudes, and those of b are negative (1) or positive (2).
   Sums that overflow wrap around. */
static int check_bytes(int lanes, int is_unsigned, int extreme, void (*call)(const void *, const void *, void *)) {
  uint8_t a[256], b[256];
  uint32_t c[64], expected[64];
  for (int i = 0; i < 4 * lanes; ++i) {
    a[i] = (uint8_t)(extreme ? (is_unsigned ? 255 : 128) : draw());
    b[i] = (uint8_t)(extreme ? (extreme == 1 ? 128 : 127) : draw());
  }
  for (int i = 0; i < lanes; ++i) {
    c[i] = expected[i] = extreme ? 0x7fffffffu : draw() * 257u;
    for (int j = 4 * i; j < 4 * i + 4; ++j)
      expected[i] += (uint32_t)((is_unsigned ? a[j] : (int8_t)a[j]) * (int8_t)b[j]);
  }
  call(a, b, c);
  return memcmp(c, expected, 4 * (size_t)lanes) == 0;
}

/* Checks sums of products of 16-bit and 8-bit integers. If `extreme` is 1 or 2, the factors have the largest
   magnitudes, and those of a are negative (1) or positive (2). Sums that overflow wrap around. */
static int check_words(int lanes, int extreme, void (*call)(const void *, const void *, void *)) {
  int16_t a[128];
  int8_t b[128];
  uint32_t c[64], expected[64];
  for (int i = 0; i < 2 * lanes; ++i) {
    a[i] = (int16_t)(extreme ? (extreme == 1 ? -32768 : 32767) : draw());
    b[i] = (int8_t)(extreme ? -128 : draw());
  }
  for (int i = 0; i < lanes; ++i) {
    c[i] = expected[i] = extreme ? 0x7fffffffu : draw() * 257u;
    for (int j = 2 * i; j < 2 * i + 2; ++j)
      expected[i] += (uint32_t)(a[j] * b[j]);
  }
  call(a, b, c);
  return memcmp(c, expected, 4 * (size_t)lanes) == 0;
}

/* Checks sums of i16 of products of unsigned and signed bytes. If `extreme` is 1 or 2, the factors are the largest of
   which two products fit into a sum: b is negative (1) or positive (2). Sums that overflow wrap around. */
static int check_pairs(int lanes, int extreme, void (*call)(const void *, const void *, void *)) {
  uint8_t a[128];
  int8_t b[128];
  uint16_t c[64], expected[64];
  for (int i = 0; i < 2 * lanes; ++i) {
    a[i] = (uint8_t)(extreme ? 255 : draw());
    b[i] = (int8_t)(extreme ? (extreme == 1 ? -64 : 64) : (int)(draw() % 129) - 64);
  }
  for (int i = 0; i < lanes; ++i) {
    c[i] = expected[i] = (uint16_t)draw();
    for (int j = 2 * i; j < 2 * i + 2; ++j)
      expected[i] = (uint16_t)(expected[i] + a[j] * b[j]);
  }
  call(a, b, c);
  return memcmp(c, expected, 2 * (size_t)lanes) == 0;
}

/* Checks lookups of bytes in the table of write_dots.py. */
static int check_lookups(int lanes, void (*call)(const void *, const void *, void *)) {
  static const int8_t table[16] = {-128, 127, 0, 5, -1, 9, 9, 77, -3, 4, 100, -100, 2, 1, 64, -64};
  int8_t a[64], c[64], expected[64];
  for (int i = 0; i < lanes; ++i) {
    a[i] = (int8_t)(draw() % 16);
    expected[i] = table[a[i]];
  }
  call(a, a, c);
  return memcmp(c, expected, (size_t)lanes) == 0;
}

/* Converts a bf16, given by its bits, to f32. */
static float wide(uint16_t bits) {
  uint32_t word = (uint32_t)bits << 16;
  float number;
  memcpy(&number, &word, 4);
  return number;
}

/* Checks sums of products of bf16. The magnitudes of the numbers are about 1. If `tiny` is not 0, some numbers or
   products are denormals, which an instruction may flush to zero. The bound therefore contains the error of flushed
   factors, products and sums (the terms with FLT_MIN), and two roundings of the sum. */
static int check_bfloats(int lanes, int tiny, void (*call)(const void *, const void *, void *)) {
  uint16_t a[128], b[128];
  float c[64];
  double expected[64], bound[64];
  for (int i = 0; i < 2 * lanes; ++i) {
    int small = tiny && draw() % 2;
    a[i] = (uint16_t)((draw() & 0x80ff) | (small ? (draw() % 2 ? 0 : 0x2000) : 0x3f00));
    b[i] = (uint16_t)((draw() & 0x80ff) | (small && a[i] >= 0x2000 ? 0x1e00 : 0x3f00));
  }
  for (int i = 0; i < lanes; ++i) {
    c[i] = tiny ? 0.0f : (float)(draw() & 0xffff) / 32768.0f - 1.0f;
    expected[i] = c[i];
    double maximum = fabs(c[i]);
    bound[i] = 4 * FLT_MIN;
    for (int j = 2 * i; j < 2 * i + 2; ++j) {
      expected[i] += (double)wide(a[j]) * wide(b[j]);
      maximum += fabs((double)wide(a[j]) * wide(b[j]));
      bound[i] += FLT_MIN * (fabs(wide(a[j])) + fabs(wide(b[j])));
    }
    bound[i] += 2 * maximum * FLT_EPSILON;
  }
  call(a, b, c);
  for (int i = 0; i < lanes; ++i)
    if (!(fabs(c[i] - expected[i]) <= bound[i])) {
      fprintf(stderr, "%d lanes: %g, expected %g\n", lanes, c[i], expected[i]);
      return 0;
    }
  return 1;
}

/* Returns whether this CPU has the feature. The tests for Arm pass no features. */
#ifdef __x86_64__
static int has(const char *feature) {
  __builtin_cpu_init();
#define HAS(name) \
  if (!strcmp(feature, name)) \
    return __builtin_cpu_supports(name) != 0;
  HAS("avx2") HAS("avx512bw") HAS("avx512vl") HAS("avx512vnni") HAS("avx512bf16") HAS("avxvnni")
#undef HAS
  return 0;
}
#else
static int has(const char *feature) { return feature[0] != 0; }
#endif

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    if (!has(argv[i])) {
      printf("this CPU lacks %s\n", argv[i]);
      return 0;
    }
  unsigned wrong = 0, count = sizeof dots / sizeof dots[0];
  for (unsigned i = 0; i < count; ++i)
    for (int round = 0; round < 50; ++round) {
      int right = dots[i].kind == kind_bf16
                      ? check_bfloats(dots[i].lanes, round % 2, dots[i].call)
                  : dots[i].kind == kind_words
                      ? check_words(dots[i].lanes, round < 3 ? round : 0, dots[i].call)
                  : dots[i].kind == kind_pairs
                      ? check_pairs(dots[i].lanes, round < 3 ? round : 0, dots[i].call)
                  : dots[i].kind == kind_lookup
                      ? check_lookups(dots[i].lanes, dots[i].call)
                      : check_bytes(dots[i].lanes, dots[i].kind == kind_unsigned, round < 3 ? round : 0, dots[i].call);
      if (!right && ++wrong)
        fprintf(stderr, "wrong: %s\n", dots[i].name);
    }
  printf("%u functions, %u wrong\n", count, wrong);
  return wrong != 0;
}
