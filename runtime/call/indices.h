/* indices.h - finds an element of an input that is outside the input's range. */
#ifndef HEDDLE_RUNTIME_CALL_INDICES_H
#define HEDDLE_RUNTIME_CALL_INDICES_H
#include "arrays.h"

/* Describes the error of a call that ended with HEDDLE_INDEX_OUT_OF_RANGE: finds an element of an input that lies
 * outside the input's range, and appends the input's name, the element's position and its value to `error`. Returns 0
 * if no such element is found. In this case the model itself computed the wrong index, or the range of the input
 * depends on sizes and the index is valid only at other sizes. */
int name_index(const struct heddle_model *model, const struct heddle_place *inputs, const size_t *sizes,
               struct text *error);
#endif
