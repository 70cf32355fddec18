/* model.h - a generated library described as data, for tools that load any of them.
 * A shared library exports `const struct heddle_model *heddle_query(uint32_t abi)`, which
 * answers NULL for an ABI it does not speak; every library, object or archive returns the
 * same pointer from NAME_describe(). All that is reached through it is constant and lives
 * as long as the library is loaded.
 *
 * What stays the same in ABI 3, whatever version of heddle wrote the library or reads it:
 * - Structs grow at their end alone. A library says how many bytes it has of each
 *   (struct_size; the strides of arrays). What a library lacks is 0, and what a reader does
 *   not know need not be known: heddle_model_read of <heddle/library.h> makes a copy in
 *   which arrays are those of this header. Who reads a description without it goes by the
 *   strides, and looks at no member behind the end.
 * - What has to be known, to call a library rightly, is a bit of heddle_model.needs. A
 *   reader leaves a library alone that needs what it does not know, or that has a type or a
 *   size code which it does not know.
 * - Numbers of enums keep their meaning; others may come. A status that is unknown is a
 *   failure.
 * - Functions keep their parameters; new ones are new members. heddle_expression and
 *   heddle_place do not grow. */
#ifndef HEDDLE_MODEL_H
#define HEDDLE_MODEL_H
#include "heddle/abi.h"
#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_ABI_VERSION 3u

enum heddle_type {
  HEDDLE_F32 = 1,
  HEDDLE_F64 = 2,
  HEDDLE_F16 = 3,
  HEDDLE_BF16 = 4,
  HEDDLE_I64 = 5,
  HEDDLE_I32 = 6,
  HEDDLE_I8 = 7,
  HEDDLE_BOOL = 8 /* one byte: 0, or 1, and in an input any other number */
};

/* Bytes of one element; 0 for a type that is none of these. */
static inline size_t heddle_type_size(uint32_t type) {
  static const unsigned char sizes[] = {0, 4, 8, 2, 2, 8, 4, 1, 1};
  return type < sizeof sizes ? sizes[type] : 0;
}

/* Bits of heddle_model.needs. */
enum heddle_needs {
  HEDDLE_NEEDS_STATES_ON_DEVICE = 1 /* states have init and deinit, and their tensors lie on the device */
};

enum heddle_tensor_flags {
  HEDDLE_OPTIONAL = 1, /* the pointer may be null: an input's default is used, an output is not written */
  HEDDLE_RANGE = 2     /* elements of this input must lie in [low, high]; an end that is a size: of this call */
};

/* One sentence for a status; never NULL. */
static inline const char *heddle_status_text(int status) {
  switch (status) {
  case HEDDLE_OK:
    return "done";
  case HEDDLE_INVALID_ARGUMENT:
    return "a required pointer is null or misaligned, a size is out of range, or the model is not initialised";
  case HEDDLE_INDEX_OUT_OF_RANGE:
    return "an index, given or computed, is outside its range";
  case HEDDLE_ARENA_TOO_SMALL:
    return "the arena is too small";
  case HEDDLE_UNSUPPORTED_CPU:
    return "this CPU lacks features that the code was compiled for";
  case HEDDLE_INVALID_WEIGHTS:
    return "the weights are truncated, altered, or of another model";
  case HEDDLE_EXECUTOR_FAILED:
    return "the executor did not run what it was given; the outputs are right";
  case HEDDLE_UNSUPPORTED_DEVICE:
    return "the device lacks a feature that the code needs, or a limit of it is too small";
  case HEDDLE_OUT_OF_DEVICE_MEMORY:
    return "the device has no memory left";
  case HEDDLE_DEVICE_LOST:
    return "the device stopped working";
  case HEDDLE_DEVICE_ERROR:
    return "the device's driver failed";
  case HEDDLE_STATE_NOT_INITIALISED:
    return "the state is not initialised, or its header is damaged";
  case HEDDLE_STATE_OF_ANOTHER_MODEL:
    return "the state is of another model";
  case HEDDLE_STATE_OF_OTHER_SIZES:
    return "the state was initialised for other sizes than the call's";
  case HEDDLE_STATE_TOO_SMALL:
    return "the state's memory is too small";
  case HEDDLE_STATE_NOT_FILLED:
    return "the past is longer than what the state has of a sequence, or goes back to where it cannot";
  case HEDDLE_STATE_FULL:
    return "the state has no room for so many new rows";
  }
  return "unknown status";
}

/* Whether it is what a device said, whose error() then has the words. */
static inline int heddle_status_of_device(int status) {
  return status >= HEDDLE_UNSUPPORTED_DEVICE && status <= HEDDLE_DEVICE_ERROR;
}

/* What an integer that is computed from sizes is made of: pairs of one of these and a number, for a stack of integers of
 * 64 bits. An operation takes b from the stack, then a, and leaves its result there. */
enum heddle_size_code {
  HEDDLE_SIZE_NUMBER = 0,       /* puts the number on the stack */
  HEDDLE_SIZE_OF_CALL = 1,      /* the size of this number, as the call brings it */
  HEDDLE_SIZE_ADD = 2,          /* of these, the number is 0 */
  HEDDLE_SIZE_MULTIPLY = 3,
  HEDDLE_SIZE_FLOOR_DIVIDE = 4, /* a / b, rounded down */
  HEDDLE_SIZE_MIN = 5,
  HEDDLE_SIZE_MAX = 6,
  HEDDLE_SIZE_LESS = 7,         /* 1 where a < b, else 0 */
  HEDDLE_SIZE_EQUAL = 8
};

enum { HEDDLE_SIZE_STACK = 64 }; /* integers at a time; no expression takes more */

struct heddle_expression {
  const int64_t *code; /* ends with one integer on the stack */
  uint64_t words;      /* of the code: twice as many as steps */
};

struct heddle_size { /* that each call brings */
  const char *name;
  int64_t low, high; /* both inclusive */
  uint64_t class_count;   /* 0: one code for all of them */
  const int64_t *classes; /* the least of each class of sizes that has code of its own */
};

struct heddle_tensor { /* dense, row-major, aligned like its element type */
  const char *name;
  uint32_t type; /* enum heddle_type */
  uint32_t rank;
  const int64_t *shape;                    /* extents; -1 for one that depends on sizes */
  const struct heddle_expression *extents; /* all of them as expressions; NULL where none is -1 */
  uint64_t flags;        /* enum heddle_tensor_flags */
  int64_t low, high;     /* the widest of all sizes */
  int64_t default_value; /* of every element, where an optional input is absent */
  uint32_t format;       /* 0: elements lie there as they are; else as formats[format - 1] says */
  uint32_t state;        /* 0; else states[state - 1] says which memory it lies in, or, of an input, that it is that
                          * memory: I8, of as many elements as heddle_state.size says, passed as a heddle_state_memory */
};

struct heddle_variant { /* the code for one CPU */
  const char *name;   /* as NAME_init_variant takes it: "x86-64-v3" */
  const char *target; /* triple, CPU and features */
};

struct heddle_format; /* how elements are stored in other ways than one by one, such as in blocks: there is none yet */

struct heddle_memory; /* of a device */

struct heddle_state_memory { /* of a state: the caller's, aligned to 8 (64 is fastest); laid out as struct NAME_state */
  void *memory;
  size_t size; /* bytes */
};

/* What a caller keeps from call to call in a memory of its own. The memory may be copied and moved as bytes; calls that
 * use it come one after the other. (Of a library for a device it is the header alone, which is not copied: the tensors lie
 * in a memory of the device's, which init allocates and deinit releases.) It begins with a header, which says which model
 * and sizes it is for and how many rows of each sequence are filled. Calls check it. A call leaves as filled what it was told
 * is past before it computes, and adds its own rows when it has succeeded: what fails midway leaves a shorter state. */
struct heddle_state {
  const char *name; /* of the input that takes it */
  uint64_t tensor_count;
  const struct heddle_tensor *tensors; /* what lies in it; dimension 0: sequences */
  const struct heddle_expression *offsets; /* of each tensor: bytes from the start of the memory that it lies in */
  struct heddle_expression batch_size, capacity; /* sequences; rows that there is room for: 0 where it has none */
  struct heddle_expression rows;                 /* that a call adds to each sequence */
  struct heddle_expression filled; /* bytes from the start to an i64 for each sequence: how many rows are filled */
  uint64_t past; /* the number of the input that says how many rows are filled before a call; UINT64_MAX: there is none */
  /* As NAME_state_size, NAME_state_init and NAME_state_copy, with sizes in the order of heddle_model.sizes, of which those
   * that no tensor of the state has do not matter. */
  size_t (*size)(const size_t *sizes);
  enum heddle_status (*init)(const void *model, const struct heddle_state_memory *state, const size_t *sizes);
  enum heddle_status (*copy)(const void *model, const struct heddle_state_memory *state, size_t from, size_t to);
  /* Of a library for a device, else NULL: as NAME_state_deinit, and the memory there of a state that is initialised. */
  void (*deinit)(const void *model, const struct heddle_state_memory *state);
  struct heddle_memory *(*device_memory)(const struct heddle_state_memory *state);
};

struct heddle_place { /* of a tensor in one call, on the host or in a memory of the model's device; all 0: absent */
  void *host;         /* an input's is read */
  struct heddle_memory *memory;
  uint64_t offset;    /* bytes */
};

struct heddle_model {
  uint32_t abi;         /* as heddle_query was asked */
  uint32_t struct_size; /* bytes of this struct */
  /* Bytes from one element of an array to the next. */
  uint32_t variant_stride, size_stride, tensor_stride, format_stride, state_stride;
  uint32_t reserved;
  uint64_t needs;     /* enum heddle_needs */
  const char *name;   /* as in NAME_run */
  const char *source; /* what it was compiled from */
  const char *device; /* the kind that the code is for, as heddle_device_open takes it; NULL: for a CPU */
  uint64_t variant_count;
  const struct heddle_variant *variants; /* the best first */
  uint64_t size_count;
  const struct heddle_size *sizes; /* those that lie in ranges */
  uint64_t input_count, output_count;
  const struct heddle_tensor *inputs, *outputs;
  uint64_t format_count;
  const struct heddle_format *formats;
  uint64_t state_count;
  const struct heddle_state *states;
  uint64_t weights_size;  /* bytes */
  uint64_t stack_size;    /* bytes that a call needs at most on each thread's stack */
  uint64_t instance_size; /* bytes that `model` of these functions points to: the caller's, aligned to 8 */
  /* As NAME_init_variant. NULL where the code is for a device. */
  enum heddle_status (*init)(void *model, const char *variant, const void *weights, size_t weights_size);
  /* The name of the variant that a model has; NULL where it is not initialised. */
  const char *(*variant)(const void *model);
  /* Bytes that run needs for sizes in the order of `sizes` (NULL where there are none) with this many threads, whatever
   * the arena's alignment; 0 where a size is out of its range, SIZE_MAX where no number holds it. */
  size_t (*arena_size)(const size_t *sizes, size_t threads);
  /* As NAME_run, with sizes and tensors in the order of `sizes`, `inputs` and `outputs`. */
  enum heddle_status (*run)(const void *model, const size_t *sizes, const void *const *inputs, void *const *outputs,
                            void *arena, size_t arena_size, const struct heddle_executor *executor);
  /* As NAME_init and NAME_deinit where the code is for a device, else NULL. */
  enum heddle_status (*init_on_device)(void *model, const void *weights, size_t weights_size,
                                       const struct heddle_device *device);
  void (*deinit)(void *model);
  /* As run, where tensors may lie on the device, else NULL. They are copied there, by the device alone, in the order of
   * what the caller does with these memories. HEDDLE_INVALID_ARGUMENT for an input with a range that lies there (nobody
   * could check it), a memory of another device, or too little of it. */
  enum heddle_status (*run_on_device)(const void *model, const size_t *sizes, const struct heddle_place *inputs,
                                      const struct heddle_place *outputs, void *arena, size_t arena_size);
};

/* One step of an expression with two operands, into *a. Returns 0 where it has no result of 64 bits, or is unknown. */
static inline int heddle_size_step(int64_t code, int64_t *a, int64_t b) {
  int64_t x = *a, quotient;
  switch (code) {
  case HEDDLE_SIZE_ADD:
    if (b > 0 ? x > INT64_MAX - b : x < INT64_MIN - b)
      return 0;
    *a = x + b;
    return 1;
  case HEDDLE_SIZE_MULTIPLY:
    if ((x == -1 && b == INT64_MIN) || (b == -1 && x == INT64_MIN))
      return 0;
    if (x != 0 && b != 0 && x != -1 && b != -1 &&
        ((x > 0) == (b > 0) ? (x > 0 ? x > INT64_MAX / b : x < INT64_MAX / b)
                            : (x > 0 ? b < INT64_MIN / x : x < INT64_MIN / b)))
      return 0;
    *a = x * b;
    return 1;
  case HEDDLE_SIZE_FLOOR_DIVIDE:
    if (b == 0 || (x == INT64_MIN && b == -1))
      return 0;
    quotient = x / b;
    *a = quotient - (quotient * b != x && (x < 0) != (b < 0));
    return 1;
  case HEDDLE_SIZE_MIN:
    *a = x < b ? x : b;
    return 1;
  case HEDDLE_SIZE_MAX:
    *a = x > b ? x : b;
    return 1;
  case HEDDLE_SIZE_LESS:
    *a = x < b;
    return 1;
  case HEDDLE_SIZE_EQUAL:
    *a = x == b;
    return 1;
  }
  return 0;
}

/* What an expression is for these sizes, of which there are `size_count`. Returns 0, and leaves *value, where it is none:
 * whatever the code is, nothing beyond it, the sizes and the stack is read. */
static inline int heddle_evaluate(const struct heddle_expression *expression, const size_t *sizes, uint64_t size_count,
                                  int64_t *value) {
  int64_t stack[HEDDLE_SIZE_STACK], number;
  uint64_t depth = 0, i;
  if (!expression->code || expression->words % 2)
    return 0;
  for (i = 0; i < expression->words; i += 2) {
    number = expression->code[i + 1];
    if (expression->code[i] == HEDDLE_SIZE_NUMBER || expression->code[i] == HEDDLE_SIZE_OF_CALL) {
      if (depth == HEDDLE_SIZE_STACK)
        return 0;
      if (expression->code[i] == HEDDLE_SIZE_OF_CALL) {
        if (number < 0 || (uint64_t)number >= size_count || (uint64_t)sizes[number] > (uint64_t)INT64_MAX)
          return 0;
        number = (int64_t)sizes[number];
      }
      stack[depth++] = number;
    } else {
      if (depth < 2)
        return 0;
      --depth;
      if (!heddle_size_step(expression->code[i], &stack[depth - 1], stack[depth]))
        return 0;
    }
  }
  if (depth != 1)
    return 0;
  *value = stack[0];
  return 1;
}

/* Extent `dimension` of a tensor of the model for these sizes; -1 for none, which a library that heddle wrote does not
 * have for sizes in their ranges. */
static inline int64_t heddle_extent(const struct heddle_model *model, const struct heddle_tensor *tensor,
                                    uint32_t dimension, const size_t *sizes) {
  int64_t extent = tensor->shape[dimension];
  if (extent < 0 && tensor->extents &&
      !heddle_evaluate(&tensor->extents[dimension], sizes, model->size_count, &extent))
    return -1;
  return extent < 0 ? -1 : extent;
}

#ifdef __cplusplus
}
#endif
#endif /* HEDDLE_MODEL_H */
