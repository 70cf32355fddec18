/* main.c - gpu-kit measures and checks a machine with a GPU. It prints tables as lines with tabs on stdout.
 *
 * gpu-kit inputs LIBRARY FILE SEED                 writes random inputs for a library of any target
 * gpu-kit check DEVICE LIBRARY WEIGHTS INPUTS EXPECTED BOUND...
 *     compares the outputs for the file INPUTS with the file EXPECTED. The exit status is 1 if an error of an output
 *     exceeds its BOUND, the maximum absolute error.
 * gpu-kit sample DEVICE LIBRARY                    compares 256 elements of the output for random inputs with results
 *     that it computes in f64. LIBRARY is compiled from one of these operations: `linear` without optional operands and
 *     without an activation, `attention` with default values of its knobs and as many key heads as query heads, or
 *     `softmax` over the rows of a matrix. The exit status is 1 if an element is wrong.
 * gpu-kit time DEVICE LIBRARY WEIGHTS SECONDS      times calls with tensors on the device for SECONDS (but at least 9
 *     calls, and at most 2000), and then the launches of 9 calls
 * gpu-kit open DEVICE                              checks whether the device can be opened
 * gpu-kit roofs DEVICE PTX [GROUPS [MIB]]          measures maximum rates with the kernels in PTX, the file
 *     ptx/roofs.ptx. GROUPS workgroups compute multiply-adds (default: 2112), and up to MIB MiB are copied and read
 *     (default: 1024).
 * gpu-kit probes DEVICE PTX                        tests single instructions with the kernels in PTX, the file
 *     ptx/probes.ptx. The exit status is 1 if a result is wrong.
 *
 * WEIGHTS is a file of weights, or - if the library needs none. FILE, INPUTS and EXPECTED are .safetensors files. For
 * the commands inputs, sample and time, all sizes of LIBRARY must be fixed. */
#include "kit.h"

#include <stdarg.h>
#include <string.h>
#include <time.h>

void stop(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fflush(stdout);
  fprintf(stderr, "gpu-kit: error: ");
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  exit(1);
}

void *room(size_t size) {
  void *bytes = NULL;
  if (posix_memalign(&bytes, 64, size ? size : 1) != 0)
    stop("no memory for %zu bytes", size);
  return memset(bytes, 0, size);
}

double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}
double median(double *values, size_t count) {
  qsort(values, count, sizeof *values, compare);
  return values[count / 2];
}

/* The algorithm is xorshift64*. */
uint64_t random_bits(struct random *random) {
  uint64_t x = random->state ? random->state : 1;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  random->state = x;
  return x * 0x2545f4914f6cdd1d;
}
float random_float(struct random *random) { return (float)(random_bits(random) >> 40) * 0x1p-23f - 1; }

static int open_command(int argc, char **argv) {
  struct heddle_device *device = open_device(argv[0]);
  printf("device\t%s\t%s\t%s\n", device->name, device->description, device->driver);
  heddle_device_close(device);
  return 0;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    int minimum; /* minimum number of arguments */
    int (*run)(int argc, char **argv);
  } commands[] = {{"open", 1, open_command},     {"inputs", 3, inputs_command}, {"check", 6, check_command},
                  {"sample", 2, sample_command}, {"time", 4, time_command},     {"roofs", 2, roofs_command},
                  {"probes", 2, probes_command}};
  for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; ++i)
    if (strcmp(argv[1], commands[i].name) == 0 && argc - 2 >= commands[i].minimum)
      return commands[i].run(argc - 2, argv + 2);
  fprintf(stderr, "usage: gpu-kit open|inputs|check|sample|time|roofs|probes ...: see the first lines of main.c\n");
  return 2;
}
