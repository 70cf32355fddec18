/* kit.h - shared functions of gpu-kit's commands. Except for find_device, they exit with a message on errors. */
#ifndef HEDDLE_TESTS_GPU_KIT_H
#define HEDDLE_TESTS_GPU_KIT_H
#include "heddle/device.h"
#include "heddle/library.h"
#include "runner/tensorfile.h"

#include <stdio.h>
#include <stdlib.h>

__attribute__((noreturn, format(printf, 1, 2))) void stop(const char *format, ...);
void *room(size_t size);                     /* allocates zeroed bytes; never returns NULL */
double now(void);                            /* a monotonic clock, in seconds */
double median(double *values, size_t count); /* sorts the values */

/* A generator of random numbers, which are the same on every machine; `state` is at first the seed. */
struct random {
  uint64_t state;
};
uint64_t random_bits(struct random *random);
float random_float(struct random *random); /* from -1 to 1 */

struct heddle_device *open_device(const char *name);
/* Returns NULL, with a text in `error`, if there is no such device. */
struct heddle_device *find_device(const char *name, char *error, size_t size);
void check_status(const struct heddle_device *device, enum heddle_status status, const char *what);
/* Returns the same device with timers for the launches that are recorded last; see times_of_last_call. */
struct heddle_device *timed_table(struct heddle_device *device);
extern double load_seconds; /* the time to load the last program with such a device */
struct launch_times {
  uint64_t count;
  const char *const *kernels; /* name of the kernel of each launch */
  double *seconds;
};
struct launch_times times_of_last_call(void);

/* A program in PTX that is loaded on a device, and buffers for its kernels. They are released when the process ends. */
struct text_program {
  struct heddle_device *device;
  struct heddle_code *code;
  struct heddle_memory *memories[4];
};
struct text_program load_text(struct heddle_device *device, const char *path, const struct heddle_kernel *kernels,
                              uint64_t count);
/* Replays the launches ten times. Stores the minimum time of each launch in `seconds`, unless it is NULL. `in` and
 * `out` are copies before and after each replay, or NULL. */
void run_timed(struct text_program *program, uint64_t memory_count, const struct heddle_launch *launches,
               uint64_t count, uint64_t staging, const struct heddle_copy *in, const struct heddle_copy *out,
               double *seconds);

/* A compiled library, an instance of its model on a device, the inputs and outputs, and a call. */
struct model {
  struct heddle_library *library;
  const struct heddle_model *description;
  struct heddle_instance *instance;
  struct heddle_call *call;
  struct heddle_array inputs[64], outputs[64]; /* on the host until move_to_device */
};
struct model open_model(const char *library, const char *weights, struct heddle_device *device);
void fill_inputs(struct model *model, uint64_t seed);
void read_inputs(struct model *model, const char *path);
void prepare_call(struct model *model); /* binds the inputs and allocates the outputs */
void run_call(struct model *model);
/* Moves the outputs, and the inputs whose values have no range, to the device. */
void move_to_device(struct model *model, struct heddle_device *device);

int inputs_command(int argc, char **argv);
int check_command(int argc, char **argv);
int sample_command(int argc, char **argv);
int time_command(int argc, char **argv);
int roofs_command(int argc, char **argv);
int probes_command(int argc, char **argv);
#endif
