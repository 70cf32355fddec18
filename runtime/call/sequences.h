/* sequences.h - names the sequence of a state that makes a call fail. */
#ifndef HEDDLE_RUNTIME_CALL_SEQUENCES_H
#define HEDDLE_RUNTIME_CALL_SEQUENCES_H
#include "arrays.h"

/* Appends to `error` the number of the sequence for which a call failed, and the numbers of its rows. `status` is the
 * result of the call, HEDDLE_STATE_FULL or HEDDLE_STATE_NOT_FILLED; a call that ends with one of these has not changed
 * its states. For an input that is a state, `inputs` contains the address of the struct heddle_state_memory. Appends
 * nothing if no such sequence is found or if the input for the past is in memory of a device. */
void name_sequence(const struct heddle_model *model, const struct heddle_place *inputs, const size_t *sizes,
                   enum heddle_status status, struct text *error);
#endif
