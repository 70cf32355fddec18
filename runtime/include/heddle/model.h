/* model.h - a generated library described as data, for tools that load any of them.
 * A shared library exports `const struct heddle_model *heddle_query(uint32_t abi)`, which
 * answers NULL for an ABI it does not speak; every library, object or archive returns the
 * same pointer from NAME_describe(). All that is reached through it is constant and lives
 * as long as the library is loaded. */
#ifndef HEDDLE_MODEL_H
#define HEDDLE_MODEL_H
#include "heddle/abi.h"
#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_ABI_VERSION 2u

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
  }
  return "unknown status";
}

struct heddle_size { /* that each call brings */
  const char *name;
  int64_t low, high; /* both inclusive */
};

struct heddle_sum { /* of sizes and a number: past + new + 1 */
  const uint8_t *terms; /* [size_count]: 1 for the sizes that are added */
  int64_t plus;
};

struct heddle_tensor { /* dense, row-major, aligned like its element type */
  const char *name;
  uint32_t type; /* enum heddle_type */
  uint32_t rank;
  const int64_t *shape; /* extents; those in which a size is a factor: what the sizes are multiplied by */
  /* How often size j of the model, or sum j - size_count, is a factor of extent i:
   * powers[i * (size_count + sum_count) + j]. NULL: of none. */
  const uint8_t *powers;
  uint64_t flags; /* enum heddle_tensor_flags */
  int64_t low, high; /* of the largest sizes */
  int64_t default_value; /* of every element, where an optional input is absent */
};

struct heddle_variant { /* the code for one CPU */
  const char *name;   /* as NAME_init_variant takes it: "x86-64-v3" */
  const char *target; /* triple, CPU and features */
};

struct heddle_memory;
struct heddle_place { /* of a tensor in one call, on the host or in a memory of the model's device; all 0: absent */
  void *host;         /* an input's is read */
  struct heddle_memory *memory;
  uint64_t offset;    /* bytes */
};

struct heddle_model {
  uint32_t abi;       /* as heddle_query was asked */
  uint32_t sum_count; /* of the sums that are factors of extents; 0 without sums */
  const char *name;   /* as in NAME_run */
  const char *source; /* what it was compiled from */
  uint64_t variant_count;
  const struct heddle_variant *variants; /* the best first */
  uint64_t input_count, output_count;
  const struct heddle_tensor *inputs, *outputs;
  uint64_t size_count; /* of the sizes that lie in ranges; every other extent is fixed */
  const struct heddle_size *sizes;
  uint64_t weights_size; /* bytes */
  uint64_t stack_size;   /* bytes that a call needs at most on each thread's stack */
  /* As NAME_init_variant; model points to 4 x 8 bytes that the caller owns. NULL where the code is for a device. */
  enum heddle_status (*init)(void *model, const char *variant, const void *weights, size_t weights_size);
  /* The name of the variant that a model has; NULL where it is not initialised. */
  const char *(*variant)(const void *model);
  /* Bytes that run needs for sizes in the order of `sizes` (NULL where there are none) with this many threads, whatever
   * the arena's alignment; 0 where a size is out of its range, SIZE_MAX where no number holds it. */
  size_t (*arena_size)(const size_t *sizes, size_t threads);
  /* As NAME_run, with sizes and tensors in the order of `sizes`, `inputs` and `outputs`. */
  enum heddle_status (*run)(const void *model, const size_t *sizes, const void *const *inputs, void *const *outputs,
                            void *arena, size_t arena_size, const struct heddle_executor *executor);
  const struct heddle_sum *sums;
  const char *device; /* the kind that the code is for, as heddle_device_open takes it; NULL: for a CPU */
  /* As NAME_init and NAME_deinit where the code is for a device, else NULL; model points to 12 x 8 bytes. */
  enum heddle_status (*init_on_device)(void *model, const void *weights, size_t weights_size,
                                       const struct heddle_device *device);
  void (*deinit)(void *model);
  /* As run, where tensors may lie on the device, else NULL. They are copied there, by the device alone, in the order of
   * what the caller does with these memories. HEDDLE_INVALID_ARGUMENT for an input with a range that lies there (nobody
   * could check it), a memory of another device, or too little of it. */
  enum heddle_status (*run_on_device)(const void *model, const size_t *sizes, const struct heddle_place *inputs,
                                      const struct heddle_place *outputs, void *arena, size_t arena_size);
};

/* Size `number` of the model, or the sum behind them, for these sizes. */
static inline uint64_t heddle_size_or_sum(const struct heddle_model *model, uint64_t number, const size_t *sizes) {
  uint64_t total, i;
  if (number < model->size_count)
    return sizes[number];
  total = (uint64_t)model->sums[number - model->size_count].plus;
  for (i = 0; i < model->size_count; ++i)
    if (model->sums[number - model->size_count].terms[i])
      total += sizes[i];
  return total;
}

/* Extent `dimension` of a tensor of the model for these sizes. */
static inline uint64_t heddle_extent(const struct heddle_model *model, const struct heddle_tensor *tensor,
                                     uint32_t dimension, const size_t *sizes) {
  uint64_t extent = (uint64_t)tensor->shape[dimension], count = model->size_count + model->sum_count, i;
  uint8_t power;
  for (i = 0; tensor->powers && i < count; ++i)
    for (power = tensor->powers[dimension * count + i]; power > 0; --power)
      extent *= heddle_size_or_sum(model, i, sizes);
  return extent;
}

#ifdef __cplusplus
}
#endif
#endif /* HEDDLE_MODEL_H */
