/* indices.h - which element of an input is outside of its range. */
#ifndef HEDDLE_RUNTIME_CALL_INDICES_H
#define HEDDLE_RUNTIME_CALL_INDICES_H
#include "arrays.h"

/* Says which input has an element that no sizes allow, and where: for a call that ended with HEDDLE_INDEX_OUT_OF_RANGE.
 * Returns 0 where there is none (it was computed by the model, or is in range at other sizes alone). */
int name_index(const struct heddle_model *model, const struct heddle_place *inputs, const size_t *sizes,
               struct text *error);
#endif
