/* kit.h - shared functions of gpu-kit's commands. Each exits with a message on errors. */
#ifndef HEDDLE_TESTS_GPU_KIT_H
#define HEDDLE_TESTS_GPU_KIT_H
#include "heddle/device.h"
#include "heddle/library.h"
#include "runner/safetensors.h"

#include <stdio.h>
#include <stdlib.h>

__attribute__((noreturn, format(printf, 1, 2))) void stop(const char *format, ...);
void *room(size_t size);                     /* allocates zeros; never NULL */
double now(void);                            /* seconds */
double median(double *values, size_t count); /* sorts them */

/* Random numbers from a seed, the same on every machine. */
struct random {
  uint64_t state;
};
uint64_t random_bits(struct random *random);
float random_float(struct random *random); /* from -1 to 1 */

/* A device, and the same device with timers for recorded launches, one list at a time. */
struct heddle_device *open_device(const char *name);
/* NULL, with a text, if there is none. */
struct heddle_device *find_device(const char *name, char *error, size_t size);
void check_status(const struct heddle_device *device, enum heddle_status status, const char *what);
struct heddle_device *timed_table(struct heddle_device *device);
extern double load_seconds; /* seconds to load the last program */
struct launch_times {
  uint64_t count;
  const char *const *kernels; /* kernel of each launch */
  double *seconds;
};
struct launch_times times_of_last_call(void); /* of the last recorded launches */

/* A program in PTX text, and the resources that it has on a device, which are released with it. */
struct text_program {
  struct heddle_device *device;
  struct heddle_code *code;
  struct heddle_memory *memories[4];
};
struct text_program load_text(struct heddle_device *device, const char *path, const struct heddle_kernel *kernels,
                              uint64_t count);
/* Returns the seconds of each launch, the minimum over some replays; copies are as for replay. */
void run_timed(struct text_program *program, uint64_t memory_count, const struct heddle_launch *launches,
               uint64_t count, uint64_t staging, const struct heddle_copy *in, const struct heddle_copy *out,
               double *seconds);

/* A library on a device, its inputs and outputs, and its call. */
struct model {
  struct heddle_library *library;
  const struct heddle_model *description;
  struct heddle_instance *instance;
  struct heddle_call *call;
  struct heddle_array inputs[64], outputs[64]; /* on the host */
};
struct model open_model(const char *library, const char *weights, struct heddle_device *device);
void fill_inputs(struct model *model, uint64_t seed);
void read_inputs(struct model *model, const char *path);
void prepare_call(struct model *model); /* binds the arrays and allocates outputs */
void run_call(struct model *model);
void move_to_device(struct model *model, struct heddle_device *device); /* inputs without a range, and outputs */

int inputs_command(int argc, char **argv);
int check_command(int argc, char **argv);
int sample_command(int argc, char **argv);
int time_command(int argc, char **argv);
int roofs_command(int argc, char **argv);
int probes_command(int argc, char **argv);
#endif
