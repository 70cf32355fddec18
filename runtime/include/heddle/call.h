/* call.h - calls a model with tensors by name, whose types, shapes and sizes are checked.
 *   struct heddle_call *call = heddle_call_create(minilm);
 *   const int64_t shape[] = {1, 4};
 *   const struct heddle_array input = {"input_ids", HEDDLE_I64, 2, shape, NULL, {ids, NULL, 0}};
 *   status = heddle_call_bind(call, &input, 1);                  which sizes it has, and shapes of the outputs
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

/* What one thread at a time calls an instance with: sizes, pointers, and an arena that grows. Any number of them may be
 * at work at once. */
struct heddle_call;

struct heddle_array { /* a tensor of the caller's; does not grow */
  const char *name;   /* as the model's input or output is called */
  uint32_t type;      /* enum heddle_type */
  uint32_t rank;
  const int64_t *shape;
  const int64_t *strides;    /* in elements: dense and row-major, as NULL is; what is not is refused */
  struct heddle_place place; /* of its elements: host, aligned like the type, or a memory of the instance's device */
};

/* NULL: out of memory. The instance outlives it. Free it with heddle_call_destroy. */
HEDDLE_API struct heddle_call *heddle_call_create(const struct heddle_instance *instance);
HEDDLE_API void heddle_call_destroy(struct heddle_call *call); /* NULL: nothing */

/* What a size is in the calls that follow, for one that no input tells; inputs that contradict it are refused.
 * SIZE_MAX: the inputs tell it again. HEDDLE_INVALID_ARGUMENT where there is no such size in a range, or the value is
 * outside. */
HEDDLE_API enum heddle_status heddle_call_set_size(struct heddle_call *call, const char *name, size_t value);

/* Takes the inputs of the runs that follow, all of them but optional ones, in any order, and finds the sizes that their
 * shapes tell. The arrays are not needed afterwards, the elements are until the last of these runs. A failure is
 * HEDDLE_INVALID_ARGUMENT: a name that is no input's or comes twice, a required input that is missing, another type or
 * shape than the model's, elements that are not dense or not aligned, sizes that are out of their ranges, contradict
 * each other or are not told. Then nothing is bound. No allocation.
 * The memory of a state is an input, too: I8, with a dimension that says its bytes, at least as many as
 * heddle_state.size says (<heddle/model.h>). Runs change it. No other call may be bound to it while one runs. */
HEDDLE_API enum heddle_status heddle_call_bind(struct heddle_call *call, const struct heddle_array *inputs,
                                               size_t count);

/* Since the last heddle_call_bind that succeeded: the sizes, in the order of the model's `sizes`, and the shape of an
 * output, an extent for each dimension. NULL where nothing is bound, or there is no such output. They live until the
 * next heddle_call_bind. */
HEDDLE_API const size_t *heddle_call_sizes(const struct heddle_call *call);
HEDDLE_API const int64_t *heddle_call_output_shape(const struct heddle_call *call, size_t output);

/* Runs the model with what is bound, on the executor's threads; NULL: on the calling thread. Outputs are given as
 * inputs are, with the shapes that heddle_call_output_shape has; optional ones may be missing. Buffers must not
 * overlap. Allocates only where the arena was never so large before. */
HEDDLE_API enum heddle_status heddle_call_run(struct heddle_call *call, const struct heddle_array *outputs,
                                              size_t count, const struct heddle_executor *executor);

/* Makes the arena large enough for these sizes, in the order of the model's `sizes` (NULL: the largest), and so many
 * threads: afterwards no run with no more of them allocates. HEDDLE_ARENA_TOO_SMALL: out of memory;
 * HEDDLE_INVALID_ARGUMENT: a size is out of its range. */
HEDDLE_API enum heddle_status heddle_call_reserve(struct heddle_call *call, const size_t *sizes, size_t threads);
/* The arena, and how many bytes it has; NULL before the first run. Nothing in it is for later: who fills it with NaN
 * sees whether a run reads what it did not write. Lives until the next run or heddle_call_reserve. */
HEDDLE_API void *heddle_call_arena(const struct heddle_call *call, size_t *size);

/* What was wrong in the last function of this call that did not return HEDDLE_OK, in a sentence; "" before. Never NULL;
 * lives until the next function of this call. */
HEDDLE_API const char *heddle_call_error(const struct heddle_call *call);

/* As heddle_status_text, for programs in languages that cannot include a header. */
HEDDLE_API const char *heddle_status_words(int status);

/* The sizes of a model that shapes of its inputs tell, as heddle_call_bind finds them; of the arrays, name, rank and
 * shape are read. What is not SIZE_MAX in `sizes` (in the order of the model's) is known before.
 * HEDDLE_INVALID_ARGUMENT as there, with the reason in `error` (cut to error_size bytes, always terminated). */
HEDDLE_API enum heddle_status heddle_infer_sizes(const struct heddle_model *model, const struct heddle_array *inputs,
                                                 size_t count, size_t *sizes, char *error, size_t error_size);

#ifdef __cplusplus
}
#endif
#endif /* HEDDLE_CALL_H */
