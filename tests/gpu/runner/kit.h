/* kit.h - shared functions of the commands of gpu-kit, a program that checks and measures compiled libraries on a GPU
 * (main.c lists the commands). Except for find_device, the functions exit with a message on errors. */
#ifndef HEDDLE_TESTS_GPU_KIT_H
#define HEDDLE_TESTS_GPU_KIT_H
#include "heddle/device.h"
#include "heddle/library.h"
#include "runner/tensorfile.h"

#include <stdio.h>
#include <stdlib.h>

/* Prints an error message on stderr and exits with status 1. */
__attribute__((noreturn, format(printf, 1, 2))) void stop(const char *format, ...);
void *room(size_t size);                     /* allocates zeroed bytes; never returns NULL */
double now(void);                            /* the time of a monotonic clock, in seconds */
double median(double *values, size_t count); /* sorts the values and returns their median; `count` is at least 1 */

/* A generator of random numbers, which are the same on every machine. The caller initialises `state` with a seed. */
struct random {
  uint64_t state;
};
uint64_t random_bits(struct random *random);
float random_float(struct random *random); /* from -1 to 1 */

/* Elements of arrays of f32, bf16 or f16 on the host. `set_float` rounds towards zero. */
int is_float(enum heddle_type type); /* whether it is one of these types */
size_t count_floats(const struct heddle_array *array); /* the number of elements */
double float_at(const struct heddle_array *array, size_t at);
void set_float(const struct heddle_array *array, size_t at, float value);
double rounding_of(enum heddle_type type); /* the maximum relative error of a number that is rounded to the type */

struct heddle_device *open_device(const char *name);
/* Returns NULL, with a message of at most `size` bytes in `error`, if the device cannot be opened. */
struct heddle_device *find_device(const char *name, char *error, size_t size);
/* Exits if `status` is not HEDDLE_OK. The message contains `what`, a name of the operation that failed. */
void check_status(const struct heddle_device *device, enum heddle_status status, const char *what);
/* Returns a device with the functions of `device`, except that it measures the time of loading a program (load_seconds)
 * and of each launch (times_of_last_call). The result is a static table, so a process measures one device at a time. */
struct heddle_device *timed_table(struct heddle_device *device);
extern double load_seconds; /* the time in which the device of timed_table loaded its last program */
/* The times of the launches of one call. The arrays have `count` elements and are never freed. */
struct launch_times {
  uint64_t count;
  const char *const *kernels; /* the name of the kernel of each launch */
  double *seconds;
};
/* Returns the times of the last replay of the launches that the device of timed_table recorded last. */
struct launch_times times_of_last_call(void);

/* A program in PTX that is loaded on a device, and buffers for its kernels. They are released when the process ends. */
struct text_program {
  struct heddle_device *device;
  struct heddle_code *code;
  struct heddle_memory *memories[4]; /* the caller of load_text allocates as many as the kernels need */
};
/* Loads the PTX in the file `path`, which contains the `count` kernels. */
struct text_program load_text(struct heddle_device *device, const char *path, const struct heddle_kernel *kernels,
                              uint64_t count);
/* Replays the `count` launches ten times, with the first `memory_count` memories of the program. Stores the minimum
 * time of each launch in `seconds`, unless `seconds` is NULL. `in` and `out` are one copy before and one copy after
 * each replay, or NULL. `staging` is the maximum number of bytes that one of these copies transfers (see `record` in
 * heddle/device.h). */
void run_timed(struct text_program *program, uint64_t memory_count, const struct heddle_launch *launches,
               uint64_t count, uint64_t staging, const struct heddle_copy *in, const struct heddle_copy *out,
               double *seconds);

/* A compiled library, an instance of its model on a device, the inputs and outputs, and a call. */
struct model {
  struct heddle_library *library;
  const struct heddle_model *description;
  struct heddle_instance *instance; /* NULL, like `call`, if the model was opened without a device */
  struct heddle_call *call;
  struct heddle_array inputs[64], outputs[64]; /* on the host until move_to_device */
};
/* Opens the library file `library`. `weights` is a file of weights, or NULL or "-" if the library needs none. If
 * `device` is NULL, only the description is read, which suffices for fill_inputs. */
struct model open_model(const char *library, const char *weights, struct heddle_device *device);
void fill_inputs(struct model *model, uint64_t seed);    /* allocates the inputs on the host, with random values */
void read_inputs(struct model *model, const char *path); /* copies the inputs from a .safetensors file to the host */
void prepare_call(struct model *model);                  /* binds the inputs and allocates the outputs on the host */
void run_call(struct model *model);
/* Moves the outputs and the inputs to the device, and binds the inputs again. Inputs whose values must lie in a range,
 * such as token ids, stay on the host. */
void move_to_device(struct model *model, struct heddle_device *device);

/* The commands of gpu-kit. argv[0] is the first argument after the name of the command; main.c checks that there are
 * enough arguments. The result is the exit status. */
int inputs_command(int argc, char **argv);
int check_command(int argc, char **argv);
int sample_command(int argc, char **argv);
int time_command(int argc, char **argv);
int roofs_command(int argc, char **argv);
int probes_command(int argc, char **argv);
#endif
