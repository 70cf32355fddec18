/* indices.h - finds the element of an input that is outside of its range. */
#ifndef HEDDLE_RUNTIME_CALL_INDICES_H
#define HEDDLE_RUNTIME_CALL_INDICES_H
#include "arrays.h"

/* After a call that ended with HEDDLE_INDEX_OUT_OF_RANGE: names an input with an element that is out of range at all
 * sizes, the position and the value. Returns 0 if there is no such element: then the model
 * computed the wrong index, or the range depends on sizes. */
int name_index(const struct heddle_model *model, const struct heddle_place *inputs, const size_t *sizes,
               struct text *error);
#endif
