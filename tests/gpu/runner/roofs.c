/* roofs.c - measures the maximum rates of a device with ptx/roofs.ptx. */
#include "kit.h"

enum { EMPTY, COPY, READ, FMA, MMA };
static const struct heddle_kernel roofs[] = {{"empty", 1, {32, 1, 1}, 0, 0, 0},
                                               {"copy", 2, {128, 1, 1}, 0, 0, 0},
                                               {"read", 2, {128, 1, 1}, 0, 0, 0},
                                               {"fma", 1, {128, 1, 1}, 0, 0, 0},
                                               {"mma", 1, {128, 1, 1}, 0, 0, 0}};
/* The number of bytes in a MiB, and the number of bytes that a workgroup copies or reads. */
static const double mib = 1 << 20, each = 128 * 16 * 16;

/* Returns the shortest time in seconds of a launch of `kernel` with `groups` workgroups on two memories of `size`
 * bytes. Four launches are replayed several times (run_timed); the first of the four is not counted, since it warms up
 * the caches. */
static double min_seconds(struct text_program *program, uint64_t size, uint64_t kernel, uint64_t groups) {
  struct heddle_view views[2] = {{0, 0, size}, {1, 0, size}};
  struct heddle_launch launches[4];
  double seconds[4];
  for (int i = 0; i < 4; ++i)
    launches[i] = (struct heddle_launch){kernel, {groups, 1, 1}, views, NULL};
  run_timed(program, 2, launches, 4, 0, NULL, NULL, seconds);
  double minimum = seconds[1];
  for (int i = 2; i < 4; ++i)
    minimum = seconds[i] < minimum ? seconds[i] : minimum;
  return minimum;
}

/* Prints the median time of a replay of launches that do nothing. */
static void empty_launches(struct text_program *program) {
  enum { COUNT = 20, CALLS = 200 };
  struct heddle_device *device = program->device;
  struct heddle_view view = {0, 0, 256};
  struct heddle_launch launches[COUNT];
  struct heddle_launches *recorded;
  double times[CALLS];
  for (int i = 0; i < COUNT; ++i)
    launches[i] = (struct heddle_launch){EMPTY, {1, 1, 1}, &view, NULL};
  check_status(device, device->record(device->self, program->code, program->memories, 1, launches, COUNT, 0, &recorded),
               "record");
  for (int i = 0; i < CALLS; ++i) {
    double start = now();
    check_status(device, device->replay(device->self, recorded, NULL, 0, NULL, 0), "replay");
    times[i] = now() - start;
  }
  printf("replay of 20 empty launches\t%.2f\tus\n", 1e6 * median(times, CALLS));
  device->forget(device->self, recorded);
}

int roofs_command(int argc, char **argv) {
  struct heddle_device *device = open_device(argv[0]);
  double start = now();
  struct text_program program = load_text(device, argv[1], roofs, 5);
  printf("device\t%s, %s\t\n", device->description, device->driver);
  printf("compiling roofs.ptx\t%.1f\tms\n", 1e3 * (now() - start));
  /* The number of workgroups that compute. By default, each of the 132 multiprocessors of an H100 gets 16 workgroups of
   * 128 threads, the maximum that can run at once. `size` is the size of each buffer in bytes. If it exceeds a quarter
   * of the device's memory, it is set to this quarter, rounded down to a multiple of 16 MiB. */
  uint64_t busy = argc > 2 ? strtoull(argv[2], NULL, 10) : 132 * 16;
  size_t size = (size_t)(argc > 3 ? strtoull(argv[3], NULL, 10) : 1024) << 20;
  if (size > device->limits->memory / 4)
    size = device->limits->memory / 4 & ~(size_t)0xffffff;
  char *zeros = room(size);
  for (int i = 0; i < 2; ++i) {
    check_status(device, device->allocate(device->self, size, &program.memories[i]), "allocate");
    check_status(device, device->upload(device->self, program.memories[i], 0, zeros, size), "upload");
  }
  empty_launches(&program);
  /* ptx/make_roofs.py contains the number of operations of each thread (FMA) and of each warp (MMA). */
  printf("FMA f32\t%.2f\tTFLOP/s\n",
         1e-12 * (double)busy * 128 * 2 * 8 * 4096 / min_seconds(&program, size, FMA, busy));
  printf("mma.sync bf16\t%.1f\tTFLOP/s\n",
         1e-12 * (double)busy * 4 * 8 * 1024 * 4096 / min_seconds(&program, size, MMA, busy));
  for (double footprint = 2 * mib; footprint <= (double)size; footprint *= 8) {
    uint64_t groups = (uint64_t)(footprint / each);
    printf("copy of %.0f MiB\t%.1f\tGB/s, read and written\n", footprint / mib,
           2e-9 * footprint / min_seconds(&program, size, COPY, groups));
    printf("read of %.0f MiB\t%.1f\tGB/s\n", footprint / mib,
           1e-9 * footprint / min_seconds(&program, size, READ, groups));
  }
  free(zeros);
  return 0;
}
