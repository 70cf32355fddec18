/* Calls a softmax that is compiled twice, with the strategy that Heddle chooses (chosen.h) and with the user's own
 * strategy (own.h), and checks that the results are equal up to rounding. run.sh builds the program. */
#include "chosen.h"
#include "own.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static float input[OWN_INPUT_ELEMENTS], a[OWN_OUT_ELEMENTS], b[OWN_OUT_ELEMENTS];

int main(void) {
  size_t size = CHOSEN_MAX_ARENA_SIZE > OWN_MAX_ARENA_SIZE ? CHOSEN_MAX_ARENA_SIZE : OWN_MAX_ARENA_SIZE;
  void *arena = malloc(size);
  enum heddle_status status = arena ? HEDDLE_OK : HEDDLE_ARENA_TOO_SMALL;
  int i, equal = 1;
  for (i = 0; i < OWN_INPUT_ELEMENTS; ++i)
    input[i] = (float)(i * 37 % 101) / 10 - 5;
  if (!status)
    status = chosen(input, a, arena, size, NULL);
  if (!status)
    status = own(input, b, arena, size, NULL);
  free(arena);
  if (status)
    return fprintf(stderr, "%s\n", own_status_text(status)), 1;
  for (i = 0; i < OWN_OUT_ELEMENTS; ++i)
    equal = equal && fabs((double)a[i] - b[i]) < 1e-6; /* false for a NaN */
  printf("largest difference %s 1e-6\n", equal ? "below" : "not below");
  return equal ? 0 : 1;
}
