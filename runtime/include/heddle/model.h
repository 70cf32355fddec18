/* model.h - the description of a generated library as data, for tools that can load any such library.
 * A shared library exports `const struct heddle_model *heddle_query(uint32_t abi)`, which returns NULL for an ABI that
 * it does not support; every library, object and archive returns the same pointer from NAME_describe(). All data that
 * the pointer leads to is constant and lives as long as the library is loaded. (NAME is the name of the model, with
 * which the names of the library's functions begin; its header NAME.h documents them.)
 *
 * These rules hold within ABI 3, whatever version of heddle wrote the library or reads it:
 * - Structs grow only at their end. A library contains the number of bytes of each of its structs (struct_size, and the
 *   strides of arrays). A member that the library lacks counts as 0, and a reader may ignore members that it does not
 *   know.
 *   heddle_model_read of <heddle/library.h> makes a copy whose arrays have the structs of this header. A program that
 *   does not use this function must use the strides and must not read members beyond the end of a struct.
 * - A feature that a reader must know about to call the library correctly has a bit in heddle_model.needs. A reader
 *   must refuse a library with a bit, a type or a size code that it does not know.
 * - The numbers of enums keep their meaning; new ones may be added. An unknown status is a failure.
 * - Functions keep their parameters; new functions are new members. heddle_expression and heddle_place do not grow. */
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
  HEDDLE_BOOL = 8 /* one byte: 0 is false, 1 is true; in an input any other number is true as well */
};

/* The number of bytes of one element; 0 for an unknown type. */
static inline size_t heddle_type_size(uint32_t type) {
  static const unsigned char sizes[] = {0, 4, 8, 2, 2, 8, 4, 1, 1};
  return type < sizeof sizes ? sizes[type] : 0;
}

/* Bits of heddle_model.needs. */
enum heddle_needs {
  HEDDLE_NEEDS_STATES_ON_DEVICE = 1 /* the tensors of states lie on the device; heddle_state.deinit must release them */
};

enum heddle_tensor_flags {
  HEDDLE_OPTIONAL = 1, /* the pointer may be null: an input then has its default value, an output is not written */
  HEDDLE_RANGE = 2     /* elements of this input must lie in [low, high] or in a narrower range that depends on sizes */
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
    return "the executor did not run all tasks; the calling thread ran the remaining ones, and the outputs are correct";
  case HEDDLE_UNSUPPORTED_DEVICE:
    return "the device lacks a feature that the code needs, or a limit of the device is too small";
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
    return "the past of a sequence is negative or exceeds the number of its filled rows; or each call replaces the "
           "state as a whole, and the past is neither 0 nor this number, or is not 0 after a failed call";
  case HEDDLE_STATE_FULL:
    return "the state has no room for so many new rows";
  }
  return "unknown status";
}

/* Whether the status comes from a device, whose error() then returns the reason in words. */
static inline int heddle_status_of_device(int status) {
  return status >= HEDDLE_UNSUPPORTED_DEVICE && status <= HEDDLE_DEVICE_ERROR;
}

/* The operations of expressions that compute an integer from the sizes of a call. An expression is code for a stack of
 * 64-bit integers: a list of pairs, each an operation and a number. An operation on two operands pops b, then a, and
 * pushes its result. */
enum heddle_size_code {
  HEDDLE_SIZE_NUMBER = 0,       /* pushes the number */
  HEDDLE_SIZE_OF_CALL = 1,      /* pushes the size with this index, as the call passes it */
  HEDDLE_SIZE_ADD = 2,          /* a + b; for this and all operations below, the number of the pair is 0 */
  HEDDLE_SIZE_MULTIPLY = 3,
  HEDDLE_SIZE_FLOOR_DIVIDE = 4, /* a / b, rounded down */
  HEDDLE_SIZE_MIN = 5,
  HEDDLE_SIZE_MAX = 6,
  HEDDLE_SIZE_LESS = 7,         /* 1 if a < b, else 0 */
  HEDDLE_SIZE_EQUAL = 8
};

enum { HEDDLE_SIZE_STACK = 64 }; /* the depth of the stack; no expression needs more */

struct heddle_expression {
  const int64_t *code; /* pairs of an operation and a number; they leave one integer on the stack */
  uint64_t words;      /* the length of the code: two words for each pair */
};

struct heddle_size { /* a size that each call passes */
  const char *name;
  int64_t low, high; /* the range, both ends inclusive */
  uint64_t class_count;   /* 0: the same code serves the whole range */
  const int64_t *classes; /* the smallest size of each class, a part of the range that has code of its own */
};

struct heddle_tensor { /* dense, row-major, aligned like its element type */
  const char *name;
  uint32_t type; /* enum heddle_type */
  uint32_t rank;
  const int64_t *shape;                    /* the extents; -1 for an extent that depends on sizes */
  const struct heddle_expression *extents; /* all extents as expressions; NULL if none is -1 */
  uint64_t flags;        /* bits of enum heddle_tensor_flags */
  int64_t low, high;     /* the range of HEDDLE_RANGE: if it depends on sizes, the union of the ranges for all sizes */
  int64_t default_value; /* the value of every element if an optional input is absent */
  uint32_t format;       /* 0: the elements are stored one by one; else formats[format - 1] describes the storage */
  uint32_t state;        /* 0, or the tensor is the input that takes the memory of states[state - 1]: it has type I8 and
                          * heddle_state.size elements, and run takes a pointer to a heddle_state_memory for it */
};

struct heddle_variant { /* the code for one CPU */
  const char *name;   /* the name that NAME_init_variant accepts, such as "x86-64-v3" */
  const char *target; /* the triple, the CPU and the features */
};

struct heddle_format; /* a way to store elements other than one by one, for example in blocks; not defined in ABI 3 */

struct heddle_memory; /* an allocation on a device */

/* The caller's memory of a state, aligned to 8 bytes (64 is fastest). The layout is that of struct NAME_state. */
struct heddle_state_memory {
  void *memory;
  size_t size; /* bytes */
};

/* Data that a model keeps from one call to the next, such as the keys and values of past tokens. It lies in memory that
 * the caller provides. The memory can be copied and moved as bytes. Calls that use the same memory must not overlap in
 * time. If the library is for a device, the memory contains a header only, which must not be copied: the tensors lie on
 * the device, in an allocation that init makes and deinit releases.
 * The memory begins with a header that names the model, the sizes, and how many rows of each sequence are filled. Each
 * call checks the header. Before it computes, a call sets the filled rows to the past that it was given, and it adds
 * its own rows when it has succeeded: after a call that fails midway, the state has the past rows only. */
struct heddle_state {
  const char *name; /* the name of the input that takes the memory */
  uint64_t tensor_count;
  const struct heddle_tensor *tensors; /* the tensors in the memory; their dimension 0 counts sequences */
  const struct heddle_expression *offsets; /* the offset of each tensor in bytes, in the memory that contains it */
  struct heddle_expression batch_size, capacity; /* the number of sequences, and the maximum number of rows of each
                                                  * (0: there is no maximum) */
  struct heddle_expression rows;                 /* the number of rows that a call adds to each sequence */
  struct heddle_expression filled; /* offset in bytes to the numbers of filled rows, an i64 for each sequence */
  uint64_t past; /* index of the input with the number of rows filled before the call; UINT64_MAX: there is none */
  /* The functions NAME_state_size, NAME_state_init and NAME_state_copy. The first two take the sizes as an array in
   * the order of heddle_model.sizes; elements on which no tensor of the state depends are ignored. `size` returns 0 if
   * one of the other elements is out of its range. The third function replaces the sequence with index `to` by a copy
   * of the sequence with index `from`. */
  size_t (*size)(const size_t *sizes);
  enum heddle_status (*init)(const void *model, const struct heddle_state_memory *state, const size_t *sizes);
  enum heddle_status (*copy)(const void *model, const struct heddle_state_memory *state, size_t from, size_t to);
  /* For a device, else NULL: NAME_state_deinit, and a function that returns the device memory of an initialised
   * state. */
  void (*deinit)(const void *model, const struct heddle_state_memory *state);
  struct heddle_memory *(*device_memory)(const struct heddle_state_memory *state);
};

/* The location of a tensor in a call: an address on the host, or an allocation on the model's device and an offset in
 * it. All members are 0 if the tensor is absent. */
struct heddle_place {
  void *host; /* elements of an input are only read */
  struct heddle_memory *memory;
  uint64_t offset; /* bytes */
};

struct heddle_model {
  uint32_t abi;         /* the ABI version that was passed to heddle_query */
  uint32_t struct_size; /* the number of bytes of this struct */
  /* The number of bytes from one element of each array to the next. */
  uint32_t variant_stride, size_stride, tensor_stride, format_stride, state_stride;
  uint32_t reserved;
  uint64_t needs;     /* bits of enum heddle_needs */
  const char *name;   /* the NAME of NAME_run */
  const char *source; /* the name of the model that the library was compiled from */
  const char *device; /* the kind of device that the code is for, a name for heddle_device_open; NULL: a CPU */
  uint64_t variant_count;
  const struct heddle_variant *variants; /* the best variant first */
  uint64_t size_count;
  const struct heddle_size *sizes; /* the sizes that lie in ranges */
  uint64_t input_count, output_count;
  const struct heddle_tensor *inputs, *outputs;
  uint64_t format_count;
  const struct heddle_format *formats;
  uint64_t state_count;
  const struct heddle_state *states;
  uint64_t weights_size;  /* bytes */
  uint64_t stack_size;    /* the maximum number of bytes that a call needs on the stack of each thread */
  uint64_t instance_size; /* bytes of the caller's memory that is passed as `model` below, aligned to 8 bytes */
  /* NAME_init_variant. NULL if the code is for a device. */
  enum heddle_status (*init)(void *model, const char *variant, const void *weights, size_t weights_size);
  /* Returns the name of the variant that an initialised model uses; NULL if the model is not initialised. */
  const char *(*variant)(const void *model);
  /* Returns the number of bytes that run needs as arena for this number of threads. The arena may have any alignment.
   * `sizes` is in the order of the member `sizes` (NULL if there are none). Returns 0 if a size is out of its range,
   * and SIZE_MAX if the number of bytes is too large for size_t. */
  size_t (*arena_size)(const size_t *sizes, size_t threads);
  /* NAME_run, with sizes and tensors as arrays in the order of the members `sizes`, `inputs` and `outputs`. */
  enum heddle_status (*run)(const void *model, const size_t *sizes, const void *const *inputs, void *const *outputs,
                            void *arena, size_t arena_size, const struct heddle_executor *executor);
  /* NAME_init and NAME_deinit if the code is for a device, else NULL. */
  enum heddle_status (*init_on_device)(void *model, const void *weights, size_t weights_size,
                                       const struct heddle_device *device);
  void (*deinit)(void *model);
  /* NULL if the code is for a CPU. Does the same as run for tensors that may lie on the device. Tensors on the device
   * are copied within the device, not through the host. The function returns when all copies are done. Returns
   * HEDDLE_INVALID_ARGUMENT in the same cases as run, if an input that the host must read lies on the device (an input
   * whose elements must lie in a range, such as token ids, the past, or the memory of a state), or if an allocation is
   * too small or belongs to another device. */
  enum heddle_status (*run_on_device)(const void *model, const size_t *sizes, const struct heddle_place *inputs,
                                      const struct heddle_place *outputs, void *arena, size_t arena_size);
};

/* Executes one operation with two operands and stores the result in *a. Returns 1, or 0 if the result does not fit into
 * 64 bits, a division is by 0, or the operation is unknown. */
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

/* Evaluates an expression for `size_count` sizes and stores its value. Returns 1, or 0 without storing anything if the
 * expression has no value. Any code is safe: nothing outside of the code, the sizes and the stack is read. */
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

/* The extent of a tensor in `dimension` for these sizes; -1 if it cannot be computed, which does not happen for a
 * library that heddle wrote and sizes in their ranges. */
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
