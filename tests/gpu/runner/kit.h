/* kit.h - what the commands of gpu-kit share. Each ends the program with a text where something goes wrong. */
#ifndef HEDDLE_TESTS_GPU_KIT_H
#define HEDDLE_TESTS_GPU_KIT_H
#include "heddle/device.h"
#include "heddle/library.h"
#include "runner/safetensors.h"

#include <stdio.h>
#include <stdlib.h>

__attribute__((noreturn, format(printf, 1, 2))) void stop(const char *format, ...);
void *room(size_t size);                     /* zeros; never NULL */
double now(void);                            /* seconds */
double median(double *values, size_t count); /* sorts them */

/* Numbers from a seed, the same on every machine. */
struct random {
  uint64_t state;
};
uint64_t random_bits(struct random *random);
float random_float(struct random *random); /* from -1 to 1 */

/* A device, and the same with timers around what is recorded there: one at a time. */
struct heddle_device *open_device(const char *name);
struct heddle_device *find_device(const char *name, char *error, size_t size); /* NULL with a text where there is none */
void check_status(const struct heddle_device *device, enum heddle_status status, const char *what);
struct heddle_device *timed_table(struct heddle_device *device);
extern double load_seconds; /* of what was loaded last through it */
struct launch_times {
  uint64_t count;
  const char *const *kernels; /* of each launch */
  double *seconds;
};
struct launch_times times_of_last_call(void); /* of what was recorded last through it */

/* A program of a text of PTX, and what is made on a device for one: released with it. */
struct text_program {
  struct heddle_device *device;
  struct heddle_code *code;
  struct heddle_memory *memories[4];
};
struct text_program load_text(struct heddle_device *device, const char *path, const struct heddle_kernel *kernels,
                              uint64_t count);
/* Seconds of each of the launches, the best of some replays; copies as for replay. */
void run_timed(struct text_program *program, uint64_t memory_count, const struct heddle_launch *launches,
               uint64_t count, uint64_t staging, const struct heddle_copy *in, const struct heddle_copy *out,
               double *seconds);

/* A library on a device, its inputs, and what it is called with. */
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
void prepare_call(struct model *model); /* binds and makes room for outputs */
void run_call(struct model *model);
void move_to_device(struct model *model, struct heddle_device *device); /* inputs without a range, and outputs */

int inputs_command(int argc, char **argv);
int check_command(int argc, char **argv);
int sample_command(int argc, char **argv);
int time_command(int argc, char **argv);
int roofs_command(int argc, char **argv);
int probes_command(int argc, char **argv);
#endif
