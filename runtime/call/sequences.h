/* sequences.h - names the sequence of a state that makes a call fail. */
#ifndef HEDDLE_RUNTIME_CALL_SEQUENCES_H
#define HEDDLE_RUNTIME_CALL_SEQUENCES_H
#include "arrays.h"

/* Appends to `error` the number of the sequence for which a call failed, with its numbers of rows. `status` is the
 * result of the call, HEDDLE_STATE_FULL or HEDDLE_STATE_NOT_FILLED; with both, the states are unchanged. For an
 * input that is a state, `inputs` contains the address of its heddle_state_memory. Appends nothing if no such sequence
 * is found or if the past lies on a device. */
void name_sequence(const struct heddle_model *model, const struct heddle_place *inputs, const size_t *sizes,
                   enum heddle_status status, struct text *error);
#endif
