/* sequences.h - which sequence of a state has no room for a call. */
#ifndef HEDDLE_RUNTIME_CALL_SEQUENCES_H
#define HEDDLE_RUNTIME_CALL_SEQUENCES_H
#include "arrays.h"

/* For a call that ended with HEDDLE_STATE_FULL or HEDDLE_STATE_NOT_FILLED, and so left its states as they were: appends
 * which sequence it cannot go on from, and the numbers of rows that do not go together. The place of an input that is a
 * state is that of its heddle_state_memory. Appends nothing where no sequence is found, or the past lies on a device.
 */
void name_sequence(const struct heddle_model *model, const struct heddle_place *inputs, const size_t *sizes,
                   enum heddle_status status, struct text *error);
#endif
