/* time.c - times the calls of a library and their launches. */
#include "kit.h"

#include <string.h>

enum { MAX_CALLS = 2000 };

/* Times calls whose tensors are on the device. Prints one line with the device, the library, the median and the minimum
 * time of a call and the total time of its launches in us, and the loading time in ms. Then prints one line for each
 * launch with its median time in us. */
int time_command(int argc, char **argv) {
  struct heddle_device *device = open_device(argv[0]);
  double *calls = room(MAX_CALLS * sizeof *calls), budget = strtod(argv[3], NULL);
  struct model model = open_model(argv[1], argv[2], device);
  fill_inputs(&model, 1);
  prepare_call(&model);
  move_to_device(&model, device);
  for (int i = 0; i < 3; ++i)
    run_call(&model);
  size_t count = 0;
  double fastest = 1e9;
  for (double start = now(); count < 9 || (count < MAX_CALLS && now() - start < budget); ++count) {
    double begin = now();
    run_call(&model);
    calls[count] = now() - begin;
    fastest = calls[count] < fastest ? calls[count] : fastest;
  }

  /* The launches of a second instance are measured with timers. Calls are measured without timers, which would slow
   * them down. */
  struct model timed = open_model(argv[1], argv[2], timed_table(device));
  memcpy(timed.inputs, model.inputs, sizeof timed.inputs);
  memcpy(timed.outputs, model.outputs, sizeof timed.outputs);
  if (heddle_call_bind(timed.call, timed.inputs, timed.description->input_count) != HEDDLE_OK)
    stop("%s: %s", argv[1], heddle_call_error(timed.call));
  double sum = 0, **launches = NULL;
  struct launch_times times = {0, NULL, NULL};
  for (int i = 0; i < 3 + 9; ++i) {
    run_call(&timed);
    times = times_of_last_call();
    if (!launches) {
      launches = room(times.count * sizeof *launches);
      for (uint64_t l = 0; l < times.count; ++l)
        launches[l] = room(9 * sizeof(double));
    }
    for (uint64_t l = 0; i >= 3 && l < times.count; ++l)
      launches[l][i - 3] = times.seconds[l];
  }
  for (uint64_t l = 0; l < times.count; ++l)
    sum += median(launches[l], 9);
  printf("call\t%s\t%s\t%.2f\t%.2f\t%.2f\t%.1f\n", argv[0], argv[1], 1e6 * median(calls, count), 1e6 * fastest,
         1e6 * sum, 1e3 * load_seconds);
  for (uint64_t l = 0; l < times.count; ++l) /* median() has sorted launches[l], so element 4 of 9 is the median */
    printf("launch\t%s\t%s\t%s\t%.2f\n", argv[0], argv[1], times.kernels[l], 1e6 * launches[l][4]);
  return 0;
}
