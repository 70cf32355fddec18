/* roof.c - measures the speed of this machine's arithmetic and memory, on the threads of an executor. */
#include "heddle/abi.h"

#include <string.h>

/* Twelve independent sums keep two FMA units busy in spite of their latency. */
#define DEFINE_FMA(name, bytes, features)                                                                              \
  typedef float name##_vector __attribute__((vector_size(bytes)));                                                    \
  __attribute__((target(features), noinline)) static float name(size_t steps) {                                       \
    name##_vector sums[12], x, y;                                                                                      \
    for (size_t lane = 0; lane < bytes / sizeof(float); ++lane)                                                        \
      x[lane] = 0.999f, y[lane] = 0.001f;                                                                              \
    for (int i = 0; i < 12; ++i)                                                                                       \
      sums[i] = y * (float)i;                                                                                          \
    for (size_t step = 0; step < steps; ++step)                                                                        \
      _Pragma("GCC unroll 12") for (int i = 0; i < 12; ++i) sums[i] = sums[i] * x + y;                                 \
    float total = 0;                                                                                                   \
    for (int i = 0; i < 12; ++i)                                                                                       \
      total += sums[i][0];                                                                                             \
    return total;                                                                                                      \
  }

DEFINE_FMA(fma256, 32, "avx2,fma")
DEFINE_FMA(fma512, 64, "avx512f")

/* Defines the same loop for a dot-product instruction of 8-bit or 16-bit numbers, which the processor must support.
 * There are sixteen sums because vdpbf16ps has a latency of 6 cycles on Zen 5. All instructions are in one statement
 * because GCC would keep the sums in memory between several statements. */
#define DEFINE_DOT(name, instruction, features)                                                                        \
  __attribute__((target(features), noinline)) static float name(size_t steps) {                                       \
    fma512_vector a = {0}, b = a, c = a, d = a, e = a, f = a, g = a, h = a, i = a, j = a, k = a, l = a, m = a, n = a, \
                  o = a, p = a, x = a;                                                                                 \
    for (size_t step = 0; step < steps; ++step)                                                                        \
      __asm__(DOT(instruction, 0) DOT(instruction, 1) DOT(instruction, 2) DOT(instruction, 3) DOT(instruction, 4)     \
              DOT(instruction, 5) DOT(instruction, 6) DOT(instruction, 7) DOT(instruction, 8) DOT(instruction, 9)     \
              DOT(instruction, 10) DOT(instruction, 11) DOT(instruction, 12) DOT(instruction, 13)                      \
              DOT(instruction, 14) DOT(instruction, 15)                                                                \
              : "+&v"(a), "+&v"(b), "+&v"(c), "+&v"(d), "+&v"(e), "+&v"(f), "+&v"(g), "+&v"(h), "+&v"(i), "+&v"(j),   \
                "+&v"(k), "+&v"(l), "+&v"(m), "+&v"(n), "+&v"(o), "+&v"(p)                                             \
              : [x] "v"(x));                                                                                           \
    return (a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p)[0];                                          \
  }
#define DOT(instruction, sum) instruction " %[x], %[x], %" #sum "\n\t"

DEFINE_DOT(dot8, "vpdpbusd", "avx512f,avx512vnni")
DEFINE_DOT(dot16, "vdpbf16ps", "avx512f,avx512bf16")

/* The kinds of arithmetic of heddle_bench_fma. */
static const struct {
  float (*run)(size_t steps);
  double operations; /* in one step; multiplications and additions count separately */
} kinds[] = {{fma256, 12 * 8 * 2}, {fma512, 12 * 16 * 2}, {dot8, 16 * 64 * 2}, {dot16, 16 * 32 * 2}};

/* One measurement, which all tasks share. */
struct work {
  int kind; /* the kind of arithmetic: an index into `kinds` */
  /* The number of arithmetic steps in each task, or of bytes of memory for all tasks; the number of tasks. */
  size_t size, tasks;
  char *to;            /* destination of a copy */
  const char *from;    /* memory to copy or to read */
  volatile float sink; /* receives results, so the compiler does not remove the code that computes them */
};

static void arithmetic(void *data, size_t i) {
  struct work *work = data;
  work->sink = kinds[work->kind].run(work->size);
  (void)i;
}

static void copy(void *data, size_t i) {
  struct work *work = data;
  size_t begin = work->size / work->tasks * i, end = i + 1 == work->tasks ? work->size : begin + work->size / work->tasks;
  memcpy(work->to + begin, work->from + begin, end - begin);
}

/* Reads part i of the memory, 256 bytes in each iteration as four independent vectors. */
static void read(void *data, size_t i) {
  typedef long long vector __attribute__((vector_size(64), aligned(1)));
  struct work *work = data;
  size_t each = work->size / work->tasks / (4 * sizeof(vector)) * 4;
  const vector *from = (const vector *)(work->from + each * sizeof(vector) * i);
  vector a = {0}, b = a, c = a, d = a;
  for (size_t at = 0; at < each; at += 4)
    a ^= from[at], b ^= from[at + 1], c ^= from[at + 2], d ^= from[at + 3];
  work->sink = (float)(a ^ b ^ c ^ d)[0];
}

/* Runs the tasks on the executor's threads, or in a loop on this thread if there is no executor. */
static void on(const struct heddle_executor *executor, size_t tasks, void (*task)(void *, size_t), struct work *work) {
  if (executor)
    executor->parallel_for(executor->self, tasks, task, work);
  else
    for (size_t i = 0; i < tasks; ++i)
      task(work, i);
}

/* Runs `tasks` tasks of `steps` steps each. The kind of arithmetic is f32 in vectors of 256 bits (0) or 512 bits (1),
 * bytes (2) or bf16 (3); the processor must support it. Returns the total number of operations. */
double heddle_bench_fma(int kind, size_t steps, size_t tasks, const struct heddle_executor *executor) {
  struct work work = {.kind = kind, .size = steps};
  on(executor, tasks, arithmetic, &work);
  return kinds[kind].operations * (double)steps * (double)tasks;
}

/* Copies `size` bytes, divided among `tasks` tasks. */
void heddle_bench_copy(char *to, const char *from, size_t size, size_t tasks, const struct heddle_executor *executor) {
  struct work work = {.size = size, .tasks = tasks, .to = to, .from = from};
  on(executor, tasks, copy, &work);
}

/* Reads `size` bytes, divided among `tasks` tasks. The part of each task is rounded down to a multiple of 256 bytes. */
void heddle_bench_read(const char *from, size_t size, size_t tasks, const struct heddle_executor *executor) {
  struct work work = {.size = size, .tasks = tasks, .from = from};
  on(executor, tasks, read, &work);
}
