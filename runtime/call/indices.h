/* indices.h - finds an element of an input that is outside the input's range. */
#ifndef HEDDLE_RUNTIME_CALL_INDICES_H
#define HEDDLE_RUNTIME_CALL_INDICES_H
#include "arrays.h"

/* Describes the error of a call that ended with HEDDLE_INDEX_OUT_OF_RANGE: finds an element of an input that lies
 * outside the input's range, and appends the input's name, the element's position and its value to `error`. Returns 1
 * if an element was found, otherwise 0: then the model computed the index, or the index is an element of an input whose
 * range depends on sizes, and it lies within the range for other sizes. */
int name_index(const struct heddle_model *model, const struct heddle_place *inputs, const size_t *sizes,
               struct text *error);
#endif
