/* call.h - calls a model with tensors that are given by name, and checks their types, shapes and sizes.
 *   struct heddle_call *call = heddle_call_create(minilm);
 *   const int64_t shape[] = {1, 4};
 *   const struct heddle_array input = {"input_ids", HEDDLE_I64, 2, shape, NULL, {ids, NULL, 0}};
 *   status = heddle_call_bind(call, &input, 1);                  finds the sizes and the shapes of the outputs
 *   const int64_t *result = heddle_call_output_shape(call, 1);
 *   const struct heddle_array output = {"sentence_embedding", HEDDLE_F32, 2, result, NULL, {embedding, NULL, 0}};
 *   if (!status) status = heddle_call_run(call, &output, 1, NULL);
 *   if (status) puts(heddle_call_error(call));
 *   heddle_call_destroy(call);
 * C99 and C++. */
#ifndef HEDDLE_CALL_H
#define HEDDLE_CALL_H
#include "heddle/instance.h"
#ifdef __cplusplus
extern "C" {
#endif

/* The data that changes from one call of an instance to the next: the sizes, the pointers to tensors, and an arena
 * (memory for intermediate results) that grows as needed. Only one thread at a time may use a heddle_call; any number
 * of heddle_calls may use the same instance at once. */
struct heddle_call;

struct heddle_array { /* a tensor in the caller's memory; later versions do not add members */
  const char *name;   /* the name of an input or output of the model */
  uint32_t type;      /* enum heddle_type */
  uint32_t rank;
  const int64_t *shape;
  const int64_t *strides;    /* in elements; NULL means dense and row-major, and any other layout is refused */
  struct heddle_place place; /* the elements: on the host, aligned like their type, or on the instance's device */
};

/* Creates a call of the instance, which must outlive it. Returns NULL if there is not enough memory. Free the result
 * with heddle_call_destroy. */
HEDDLE_API struct heddle_call *heddle_call_create(const struct heddle_instance *instance);
HEDDLE_API void heddle_call_destroy(struct heddle_call *call); /* NULL is allowed */

/* Sets the value of a size for all later calls of heddle_call_bind. This is needed for a size that no shape of an input
 * determines, unless its range contains a single value; inputs that contradict the value are refused. The value
 * SIZE_MAX means none: the inputs then determine the size again. Returns HEDDLE_INVALID_ARGUMENT if heddle_model.sizes
 * has no size of this name, or if the value is outside its range. */
HEDDLE_API enum heddle_status heddle_call_set_size(struct heddle_call *call, const char *name, size_t value);

/* Sets the inputs of later calls of heddle_call_run (runs), and computes the sizes from their shapes. All inputs must
 * be given except optional ones, in any order. The arrays themselves may be freed after the function has returned; the
 * elements must stay valid until the last of these runs. Does not allocate. Returns HEDDLE_INVALID_ARGUMENT, and then
 * nothing is bound, if
 * - a name belongs to no input or is given twice, or a required input is missing,
 * - a type, a rank or a shape differs from the model's,
 * - the elements are missing, too many for memory, not dense, not aligned, given both on the host and on a device, or
 *   on a device although the model's code is for a CPU, or
 * - a size is out of its range, contradicted by another input, or not determined, or the extent of an output does not
 *   fit into 64 bits.
 * The memory of a state is an input, too: its type is I8, and its one extent is the number of its bytes, at least
 * heddle_state.size (<heddle/model.h>). Runs modify the state. While one call runs with a state, no other call
 * may use this state. */
HEDDLE_API enum heddle_status heddle_call_bind(struct heddle_call *call, const struct heddle_array *inputs,
                                               size_t count);

/* Return the values of the sizes, in the order of heddle_model.sizes, and the shape of the output with the index
 * `output`, one extent for each dimension, as heddle_call_bind computed them. Return NULL if nothing is bound or there
 * is no such output. The arrays are valid until the next heddle_call_bind. */
HEDDLE_API const size_t *heddle_call_sizes(const struct heddle_call *call);
HEDDLE_API const int64_t *heddle_call_output_shape(const struct heddle_call *call, size_t output);

/* Runs the model with the bound inputs on the threads of the executor, or on the calling thread if `executor` is NULL.
 * If the model's code is for a device, the executor runs nothing. The outputs are given like the inputs, with the
 * shapes that heddle_call_output_shape returns; optional outputs may be left out. The outputs must not overlap each
 * other or the inputs. Allocates memory only if the arena must become larger than it was before; returns
 * HEDDLE_ARENA_TOO_SMALL if there is not enough memory. */
HEDDLE_API enum heddle_status heddle_call_run(struct heddle_call *call, const struct heddle_array *outputs,
                                              size_t count, const struct heddle_executor *executor);

/* Makes the arena large enough for these sizes, in the order of heddle_model.sizes (NULL: the largest values of each
 * class of sizes), and for this number of threads. Later runs with these sizes and no more threads do not allocate. A
 * run with other sizes allocates only if it needs a larger arena. Smaller sizes may need a larger arena if they are in
 * another class (heddle_size.classes). Returns HEDDLE_ARENA_TOO_SMALL if there is not enough memory, and
 * HEDDLE_INVALID_ARGUMENT if a size is out of its range. */
HEDDLE_API enum heddle_status heddle_call_reserve(struct heddle_call *call, const size_t *sizes, size_t threads);
/* Returns the arena and stores its number of bytes in *size; NULL and 0 if heddle_call_run and heddle_call_reserve have
 * not allocated it yet, or could not. The arena keeps nothing from one run to the next: a test can fill it with NaN to
 * find out whether a run reads bytes that it did not write. The pointer is valid until the next heddle_call_run or
 * heddle_call_reserve. */
HEDDLE_API void *heddle_call_arena(const struct heddle_call *call, size_t *size);

/* Returns a sentence with the reason why the last function of this call failed; "" if it did not fail. The
 * result is never NULL. The text is valid until the next function of this call. */
HEDDLE_API const char *heddle_call_error(const struct heddle_call *call);

/* Does the same as heddle_status_text of <heddle/model.h>, for languages that cannot include a C header. */
HEDDLE_API const char *heddle_status_words(int status);

/* Computes the sizes of a model from the shapes of its inputs, as heddle_call_bind does; only the name, rank and shape
 * of each array are read. `sizes` has an element for each of heddle_model.sizes. An element that is not SIZE_MAX on
 * entry is the size's value, and the shapes must agree with it. Returns HEDDLE_INVALID_ARGUMENT, with the reason in
 * `error` (cut to error_size bytes, always terminated), if a name, a rank, a shape or a size is wrong, if a size is not
 * determined, or if there is not enough memory. */
HEDDLE_API enum heddle_status heddle_infer_sizes(const struct heddle_model *model, const struct heddle_array *inputs,
                                                 size_t count, size_t *sizes, char *error, size_t error_size);

#ifdef __cplusplus
}
#endif
#endif /* HEDDLE_CALL_H */
