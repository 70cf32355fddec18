/* Computes what the instructions of Intel AMX compute, so that code for AMX runs on any CPU. A tile is a pointer to one of
 * the buffers of its thread, which are used in turn: a value of generated code is used before 1024 others are made. */
#include "heddle/model.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct {
  uint8_t bytes[16][64];
} tile;

static tile *new_tile(void) {
  static __thread tile tiles[1024];
  static __thread unsigned next;
  tile *made = &tiles[next++ % 1024];
  memset(made, 0, sizeof *made);
  return made;
}

tile *emulated_tilezero(int16_t rows, int16_t bytes);
tile *emulated_tilezero(int16_t rows, int16_t bytes) {
  (void)rows, (void)bytes;
  return new_tile();
}
tile *emulated_tileloadd64(int16_t rows, int16_t bytes, const char *from, int64_t stride);
tile *emulated_tileloadd64(int16_t rows, int16_t bytes, const char *from, int64_t stride) {
  tile *made = new_tile();
  for (int i = 0; i < rows; ++i)
    memcpy(made->bytes[i], from + i * stride, bytes);
  return made;
}
void emulated_tilestored64(int16_t rows, int16_t bytes, char *to, int64_t stride, const tile *stored);
void emulated_tilestored64(int16_t rows, int16_t bytes, char *to, int64_t stride, const tile *stored) {
  for (int i = 0; i < rows; ++i)
    memcpy(to + i * stride, stored->bytes[i], bytes);
}

static float flushed(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }
static float widened(const uint8_t *from) {
  uint32_t bits = (uint32_t)from[1] << 24 | (uint32_t)from[0] << 16;
  float x;
  memcpy(&x, &bits, sizeof x);
  return flushed(x);
}
tile *emulated_tdpbf16ps(int16_t rows, int16_t bytes, int16_t depth, const tile *sums, const tile *a, const tile *b);
tile *emulated_tdpbf16ps(int16_t rows, int16_t bytes, int16_t depth, const tile *sums, const tile *a, const tile *b) {
  tile *made = new_tile();
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < bytes; j += 4) {
      float even = 0, odd = 0, sum;
      for (int k = 0; k < depth; k += 4) {
        even = flushed(fmaf(widened(&a->bytes[i][k]), widened(&b->bytes[k / 4][j]), even));
        odd = flushed(fmaf(widened(&a->bytes[i][k + 2]), widened(&b->bytes[k / 4][j + 2]), odd));
      }
      memcpy(&sum, &sums->bytes[i][j], sizeof sum);
      sum = flushed(flushed(sum) + flushed(even + odd));
      memcpy(&made->bytes[i][j], &sum, sizeof sum);
    }
  return made;
}

static tile *add_bytes(int16_t rows, int16_t bytes, int16_t depth, const tile *sums, const tile *a, int a_signed,
                       const tile *b, int b_signed) {
  tile *made = new_tile();
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < bytes; j += 4) {
      int32_t sum;
      memcpy(&sum, &sums->bytes[i][j], sizeof sum);
      for (int k = 0; k < depth; ++k) {
        uint8_t x = a->bytes[i][k], y = b->bytes[k / 4][j + k % 4];
        sum += (a_signed ? (int8_t)x : x) * (b_signed ? (int8_t)y : y);
      }
      memcpy(&made->bytes[i][j], &sum, sizeof sum);
    }
  return made;
}
#define BYTES(name, a_signed, b_signed)                                                                                \
  tile *emulated_##name(int16_t, int16_t, int16_t, const tile *, const tile *, const tile *);                          \
  tile *emulated_##name(int16_t rows, int16_t bytes, int16_t depth, const tile *sums, const tile *a, const tile *b) {  \
    return add_bytes(rows, bytes, depth, sums, a, a_signed, b, b_signed);                                              \
  }
BYTES(tdpbssd, 1, 1)
BYTES(tdpbsud, 1, 0)
BYTES(tdpbusd, 0, 1)
BYTES(tdpbuud, 0, 0)

/* Generated code finds all features, and the permission to use tiles. */
void fake_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4]);
void fake_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4]) {
  (void)leaf, (void)subleaf;
  for (int i = 0; i < 4; ++i)
    registers[i] = 0xffffffff;
}
uint32_t fake_xgetbv(uint32_t number);
uint32_t fake_xgetbv(uint32_t number) {
  (void)number;
  return 0xffffffff;
}
int64_t fake_system_call(int64_t number, int64_t first, int64_t second);
int64_t fake_system_call(int64_t number, int64_t first, int64_t second) {
  (void)number, (void)first, (void)second;
  return 0;
}

/* `heddle verify --library` finds the model by this function. Heddle adds it only to libraries that it links itself. */
const struct heddle_model *m_describe(void);
const struct heddle_model *heddle_query(uint32_t abi);
const struct heddle_model *heddle_query(uint32_t abi) { return abi == HEDDLE_ABI_VERSION ? m_describe() : NULL; }
