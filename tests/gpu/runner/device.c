/* device.c - opens a device, loads programs on it, and times launches. */
#include "kit.h"

#include <string.h>

struct heddle_device *open_device(const char *name) {
  char error[512];
  struct heddle_device *device = find_device(name, error, sizeof error);
  if (!device)
    stop("%s: %s", name, error);
  return device;
}

void check_status(const struct heddle_device *device, enum heddle_status status, const char *what) {
  if (status != HEDDLE_OK)
    stop("%s on %s: %s: %s", what, device->name, heddle_status_text(status), device->error(device->self));
}

/* timed_table returns `table`. It contains the functions of the device `inner`, except for load and record below, which
 * also store times and names. */
static struct heddle_device *inner, table;
static char **kernel_names;      /* the names of the kernels of the last loaded program */
static struct launch_times last; /* the kernels of the last recorded launches, and room for their times */
static struct heddle_launches *last_recorded;
double load_seconds;

static enum heddle_status load(void *self, const struct heddle_program *program, struct heddle_code **code) {
  kernel_names = room(program->kernel_count * sizeof *kernel_names);
  for (uint64_t i = 0; i < program->kernel_count; ++i)
    kernel_names[i] = strdup(program->kernels[i].name);
  double start = now();
  enum heddle_status status = inner->load(self, program, code);
  load_seconds = now() - start;
  return status;
}

static enum heddle_status record(void *self, struct heddle_code *code, struct heddle_memory *const *memories,
                                 uint64_t memory_count, const struct heddle_launch *launches, uint64_t launch_count,
                                 uint64_t staging, struct heddle_launches **recorded) {
  const char **kernels = room(launch_count * sizeof *kernels);
  for (uint64_t i = 0; i < launch_count; ++i)
    kernels[i] = kernel_names[launches[i].kernel];
  last = (struct launch_times){launch_count, kernels, room(launch_count * sizeof(double))};
  enum heddle_status status =
      inner->record_timed(self, code, memories, memory_count, launches, launch_count, staging, recorded);
  last_recorded = *recorded;
  return status;
}

struct heddle_device *timed_table(struct heddle_device *device) {
  inner = device;
  table = *device;
  table.load = load;
  table.record = record;
  return &table;
}

struct launch_times times_of_last_call(void) {
  check_status(inner, inner->times(inner->self, last_recorded, last.seconds, last.count), "times");
  return last;
}

struct text_program load_text(struct heddle_device *device, const char *path, const struct heddle_kernel *kernels,
                              uint64_t count) {
  FILE *file = fopen(path, "rb");
  char *text = room(1 << 20);
  size_t size = file ? fread(text, 1, 1 << 20, file) : 0;
  if (!size || size == 1 << 20)
    stop("%s: cannot be read, is empty, or has 1 MiB or more", path);
  fclose(file);
  struct heddle_program program = {"ptx", text, size, count, kernels, 0};
  struct text_program loaded = {.device = device};
  check_status(device, device->load(device->self, &program, &loaded.code), path);
  free(text);
  return loaded;
}

void run_timed(struct text_program *program, uint64_t memory_count, const struct heddle_launch *launches,
               uint64_t count, uint64_t staging, const struct heddle_copy *in, const struct heddle_copy *out,
               double *seconds) {
  struct heddle_device *device = program->device;
  struct heddle_launches *recorded;
  double *times = room(count * sizeof *times);
  check_status(device,
               device->record_timed(device->self, program->code, program->memories, memory_count, launches, count,
                                    staging, &recorded),
               "record");
  for (int repetition = 0; repetition < 10; ++repetition) {
    check_status(device, device->replay(device->self, recorded, in, in != NULL, out, out != NULL), "replay");
    check_status(device, device->times(device->self, recorded, times, count), "times");
    for (uint64_t i = 0; seconds && i < count; ++i)
      if (!repetition || times[i] < seconds[i])
        seconds[i] = times[i];
  }
  device->forget(device->self, recorded);
  free(times);
}
