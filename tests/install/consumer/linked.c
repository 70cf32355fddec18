/* Calls the models `halves` (a static library) and `linked` (a shared library with the prefix `other`). */
#include "linked.h"
#include "halves.h"

#include <stdio.h>

int main(void) {
  static unsigned char arena[OTHER_MAX_ARENA_SIZE + HALVES_MAX_ARENA_SIZE];
  float x[4] = {2, 4, 6, 8}, y[4], rows[20] = {0}, out[20];
  struct halves_args args = {x, y};
  struct halves model;
  enum heddle_status status = halves_init(&model, NULL, 0);
  if (!status)
    status = halves_run(&model, &args, arena, sizeof arena, NULL);
  if (!status)
    status = other(1, rows, out, arena, sizeof arena, NULL);
  printf("%d: %g %g %g\n", (int)status, y[0], y[3], out[19]);
  return 0;
}
