/* device.h - devices that can run generated code (GPUs, which have memory and code of their own), and facts of the CPU.
 * Generated code does not link any library of a device. The host program opens a device, which is a table of functions,
 * and passes it to the generated code, just like an executor:
 *   char error[256];
 *   struct heddle_device *gpu = heddle_device_open("vulkan", error, sizeof error);
 *   status = minilm_init(&model, NULL, 0, gpu);  ...  minilm_run(...);  ...  minilm_deinit(&model);
 *   heddle_device_close(gpu);
 * C99 and C++. All sizes and offsets are in bytes. */
#ifndef HEDDLE_DEVICE_H
#define HEDDLE_DEVICE_H
#include "heddle/abi.h"
#ifdef __cplusplus
extern "C" {
#endif

struct heddle_memory;   /* an allocation in the memory of a device */
struct heddle_code;     /* loaded kernels */
struct heddle_launches; /* a list of kernel launches, recorded once to be replayed many times */

/* Bits for features: a program may need them, and a device may have them. heddle_feature_name returns their names. */
enum heddle_device_features {
  HEDDLE_FEATURE_FLOAT16 = 1 << 0, /* kernels can compute with this type; the next four are for other types */
  HEDDLE_FEATURE_FLOAT64 = 1 << 1,
  HEDDLE_FEATURE_INT8 = 1 << 2,
  HEDDLE_FEATURE_INT16 = 1 << 3,
  HEDDLE_FEATURE_INT64 = 1 << 4,
  HEDDLE_FEATURE_STORAGE8 = 1 << 5, /* buffers can have elements of 8 bits */
  HEDDLE_FEATURE_STORAGE16 = 1 << 6,
  HEDDLE_FEATURE_SIGNED_ZERO_INF_NAN = 1 << 7, /* a kernel can request that signed zeros, infinities and NaN are kept */
  HEDDLE_FEATURE_SUBGROUP_BASIC = 1 << 8,      /* operations among the threads of a sub-group */
  HEDDLE_FEATURE_SUBGROUP_VOTE = 1 << 9,
  HEDDLE_FEATURE_SUBGROUP_ARITHMETIC = 1 << 10,
  HEDDLE_FEATURE_SUBGROUP_BALLOT = 1 << 11,
  HEDDLE_FEATURE_SUBGROUP_SHUFFLE = 1 << 12,
  HEDDLE_FEATURE_SUBGROUP_SHUFFLE_RELATIVE = 1 << 13,
  HEDDLE_FEATURE_SUBGROUP_CLUSTERED = 1 << 14,
  HEDDLE_FEATURE_SUBGROUP_QUAD = 1 << 15,
  HEDDLE_FEATURE_DENORM_PRESERVE = 1 << 16 /* a kernel can request that subnormal numbers are kept */
};

/* The name of the feature with this bit number (0, 1, ...); NULL if there is no such feature. */
static inline const char *heddle_feature_name(unsigned bit) {
  static const char *const names[] = {
      "float16", "float64", "int8", "int16", "int64", "storage8", "storage16", "signed-zero-inf-nan",
      "subgroup-basic", "subgroup-vote", "subgroup-arithmetic", "subgroup-ballot", "subgroup-shuffle",
      "subgroup-shuffle-relative", "subgroup-clustered", "subgroup-quad", "denorm-preserve"};
  return bit < sizeof names / sizeof *names ? names[bit] : NULL;
}

struct heddle_device_limits { /* maxima, except `alignment` and `subgroup_size` */
  uint64_t memory;              /* the size of all allocations together */
  uint64_t memory_size;         /* the size of one allocation, a heddle_memory */
  uint64_t alignment;           /* the offset of a view must be a multiple of this number */
  uint64_t view_size;           /* the size of one view */
  uint64_t buffers;             /* the number of buffers that a kernel can have */
  uint64_t workgroup_memory;    /* the size of the memory that the threads of a workgroup share */
  uint64_t workgroup_threads;   /* the number of threads in a workgroup, the product of its three dimensions */
  uint64_t workgroup_size[3];   /* the number of threads in each dimension of a workgroup */
  uint64_t workgroup_count[3];  /* the number of workgroups in each dimension of a launch */
  uint64_t subgroup_size;       /* the number of threads in a sub-group */
};

struct heddle_kernel {
  const char *name;
  uint64_t buffers;          /* the number of buffers: bindings 0, 1, ... of set 0 in SPIR-V, the parameters in PTX */
  uint64_t threads[3];       /* the number of threads of a workgroup in each dimension, each at least 1 */
  uint64_t workgroup_memory; /* bytes; in PTX the declared arrays and the `.extern .shared` array together */
  /* The range of the program's bytes that contains the kernel's code. SPIR-V: a module, aligned to 4 bytes. A size of 0
   * means all bytes of the program, which is the best choice for PTX. Some Vulkan drivers count the workgroup memory of
   * all kernels of a module for each of these kernels: only kernels that need little of it should share a module. */
  uint64_t code_offset, code_size;
};

struct heddle_program { /* code for one kind of device */
  const char *format;   /* "spirv" or "ptx" */
  const void *bytes;    /* SPIR-V: modules, aligned to 4 bytes; PTX: text */
  uint64_t size;
  uint64_t kernel_count;
  const struct heddle_kernel *kernels;
  /* Bits of enum heddle_device_features that the program requires. The code may request that signed zeros,
   * infinities and NaN, or subnormal numbers, are kept although the bit for this feature is not set here. A device
   * that lacks the feature then ignores the request. */
  uint64_t features;
};

struct heddle_view { /* a range of a device allocation, which a kernel gets as a buffer */
  uint64_t memory;   /* an index into the `memories` that were passed to `record` */
  uint64_t offset;   /* a multiple of heddle_device_limits.alignment (heddle_launch.counts: of 4) */
  uint64_t size;     /* at least 1 */
};

struct heddle_launch {
  uint64_t kernel;                 /* an index into the program's kernels */
  uint64_t groups[3];              /* the number of workgroups in each dimension, each at least 1 */
  const struct heddle_view *views; /* one view for each buffer of the kernel */
  /* NULL, or a view of 12 bytes in a memory that is not open (see `record`): three 32-bit numbers, the number of
   * workgroups to run in each dimension. They are read when the launch begins, after all earlier copies and launches,
   * and must not exceed `groups`; if one is 0, no workgroup runs. CUDA has no such indirect launches: there, all
   * `groups` workgroups are launched, and the kernel itself must read the three numbers and return at once in
   * workgroups whose indices are not below them. */
  const struct heddle_view *counts;
};

struct heddle_copy { /* a copy between a memory that was passed to `record` and either the host or another memory */
  void *host;        /* the source of a copy in, the destination of a copy out; NULL if `other` is not NULL */
  uint64_t memory, offset, size; /* `memory` is an index into the `memories` that were passed to `record` */
  struct heddle_memory *other;   /* an allocation on the same device that is used instead of `host`, or NULL */
  uint64_t other_offset;
};

struct heddle_binding { /* for one replay, an open memory (see `record`) consists of this range of another memory */
  uint64_t memory;      /* an index into the `memories` that were passed to `record`, where the entry is NULL */
  struct heddle_memory *bound;
  uint64_t offset, size; /* offset: a multiple of heddle_device_limits.alignment; size: at least 1 */
};

/* The functions of a device. One device can serve any number of models and threads at once. A function keeps no pointer
 * to its arguments after it has returned, except that recorded launches refer to their code and memories, which must
 * therefore live until `forget`. NULL may be passed to `release`, `unload` and `forget`. Arguments are checked before
 * anything is created: wrong ones give HEDDLE_INVALID_ARGUMENT, and a request that exceeds the limits or features of
 * this device gives HEDDLE_UNSUPPORTED_DEVICE (or, for the limit `memory`, HEDDLE_OUT_OF_DEVICE_MEMORY). A host program
 * may also fill in a table with functions of its own. */
struct heddle_device {
  void *self;
  uint64_t size;           /* the size of this struct; later versions append members */
  const char *name;        /* a name that heddle_device_open accepts, such as "vulkan:0" */
  const char *description; /* the manufacturer's name for the device */
  const char *driver;      /* the driver and its version, such as "CUDA 12.4, sm_90" */
  const char *format;      /* the format of the programs that the device loads: "spirv" or "ptx" */
  uint64_t features;       /* the bits of enum heddle_device_features that the device has */
  const struct heddle_device_limits *limits;

  /* Allocates `size` bytes, at least 1, on the device; their content is undefined until it is written. */
  enum heddle_status (*allocate)(void *self, uint64_t size, struct heddle_memory **memory);
  void (*release)(void *self, struct heddle_memory *memory);
  /* upload copies bytes from the host to the device, download from the device to the host. Both return when the bytes
   * have been copied. No replay may use these bytes at the same time. */
  enum heddle_status (*upload)(void *self, struct heddle_memory *memory, uint64_t offset, const void *host,
                               uint64_t size);
  enum heddle_status (*download)(void *self, struct heddle_memory *memory, uint64_t offset, void *host, uint64_t size);
  /* Compiles a program for the device. */
  enum heddle_status (*load)(void *self, const struct heddle_program *program, struct heddle_code **code);
  void (*unload)(void *self, struct heddle_code *code);
  /* Records launches for later replays. Each launch sees all that earlier launches wrote. An entry of `memories` that
   * is NULL is an open memory, which `replay_with` binds. `staging` is the maximum number of bytes that one replay
   * copies in from the host, and also the maximum that it copies out to the host. Memory for these copies is reserved
   * here, so a replay need not allocate it. */
  enum heddle_status (*record)(void *self, struct heddle_code *code, struct heddle_memory *const *memories,
                               uint64_t memory_count, const struct heddle_launch *launches, uint64_t launch_count,
                               uint64_t staging, struct heddle_launches **recorded);
  void (*forget)(void *self, struct heddle_launches *recorded); /* frees the result of `record` */
  /* Performs the copies in, the launches and the copies out, in this order, and returns when all are done. The
   * destinations of copies must not overlap. If two threads replay the same launches, one waits for the other. */
  enum heddle_status (*replay)(void *self, struct heddle_launches *recorded, const struct heddle_copy *in,
                               uint64_t in_count, const struct heddle_copy *out, uint64_t out_count);
  /* Returns the reason of the last failure in the calling thread, whichever device it used; never NULL. The text is
   * valid until the thread calls the next function of a device. */
  const char *(*error)(void *self);
  void (*close)(void *self); /* called by heddle_device_close */

  /* record_timed does the same as record, and the device also measures the time of each launch in a replay. `times`
   * stores the times of the last replay, which must have succeeded, in seconds; its `launch_count` must be the number
   * of recorded launches. record_timed returns HEDDLE_UNSUPPORTED_DEVICE if the device has no timers. */
  enum heddle_status (*record_timed)(void *self, struct heddle_code *code, struct heddle_memory *const *memories,
                                     uint64_t memory_count, const struct heddle_launch *launches,
                                     uint64_t launch_count, uint64_t staging, struct heddle_launches **recorded);
  enum heddle_status (*times)(void *self, struct heddle_launches *recorded, double *seconds, uint64_t launch_count);

  /* Stores the driver's compiled form of all loaded code, which a host program can keep in a file to make loading
   * faster in a later process (restore_cache). `*size` is the room at `data` on entry and the number of bytes on
   * return; if `data` is NULL, only the number is returned. Returns HEDDLE_INVALID_ARGUMENT if the room is too small,
   * for example because more code was loaded since the number was queried. */
  enum heddle_status (*save_cache)(void *self, void *data, uint64_t *size);
  /* Passes data from save_cache to the driver. If the data is damaged, or was saved on another device or by another
   * driver, returns HEDDLE_INVALID_ARGUMENT and does nothing else: the code is then compiled again. Drivers trust the
   * content, so keep the file where nobody else can write. */
  enum heddle_status (*restore_cache)(void *self, const void *data, uint64_t size);

  /* Does the same as replay for launches with open memories. Each open memory that a view of a launch refers to must
   * have exactly one binding. The view's offset is relative to the binding's offset and must lie within the
   * binding. A view that would extend beyond the binding ends with the binding. Copies cannot refer to open memories. A
   * bound memory must live until the next replay or `forget`. Bindings that differ from those of the previous replay
   * cost time, because the launches are then updated. */
  enum heddle_status (*replay_with)(void *self, struct heddle_launches *recorded, const struct heddle_binding *bindings,
                                    uint64_t binding_count, const struct heddle_copy *in, uint64_t in_count,
                                    const struct heddle_copy *out, uint64_t out_count);

  /* The functions below share memory with other code that uses the same device in this process, such as a framework.
   * Only CUDA devices support them; others return HEDDLE_UNSUPPORTED_DEVICE. Tables of older runtimes end before them.
   * wrap makes a memory of `size` bytes, at least 1, that other code has allocated at `address`. For CUDA, the address
   * is a CUdeviceptr. The bytes must stay allocated until `release`, which does not free them. Returns
   * HEDDLE_INVALID_ARGUMENT if the address is not in device memory, if the memory lies on another device or belongs to
   * another context than the device's primary context, or if the bytes extend beyond their allocation. */
  enum heddle_status (*wrap)(void *self, uint64_t address, uint64_t size, struct heddle_memory **memory);
  /* Stores the device address of the first byte of a memory, for other code. Afterwards, `release` of this memory first
   * waits for all work in the device's context, which may use the bytes. If the wait fails, they stay allocated. */
  enum heddle_status (*address)(void *self, struct heddle_memory *memory, uint64_t *address);
  /* Stores the handle of the stream of all uploads and downloads (for CUDA a CUstream). Other code can make this stream
   * wait for its own work: `wait` then waits for that work, and so do later uploads and downloads. */
  enum heddle_status (*stream)(void *self, uint64_t *stream);
  /* Returns when all work that has been enqueued in a stream is done. `stream` is the handle of a stream in the
   * device's context; 0 means all streams of the context. Replays do not wait for work of other code, so wait before a
   * replay reads memory to which other code writes, and before a replay overwrites memory that other code reads. */
  enum heddle_status (*wait)(void *self, uint64_t stream);
};

/* Opens a device:
 *   "vulkan"       the most capable device that Vulkan lists: a discrete GPU before an integrated GPU, this before a
 *                  virtual GPU, and all of them before other devices, such as one that is emulated in software
 *   "vulkan:N"     the N-th device of the list, counted from 0
 *   "vulkan:NAME"  the only device whose name contains NAME, or the device whose UUID is NAME, ignoring case
 *   "cuda", "cuda:N", "cuda:NAME"
 *                  the same for CUDA, which lists the most capable device first; its driver must support CUDA 11.4 or
 *                  later. (The child of a fork cannot use CUDA: calls for its parent's device are refused.)
 *   "null"         memory and copies on the host; programs and launches are checked, but no kernel is executed
 * Returns NULL on failure, with the reason in `error` (cut to error_size bytes, always terminated). */
HEDDLE_API struct heddle_device *heddle_device_open(const char *name, char *error, size_t error_size);
/* Closes a device. All its memories, code and launches must have been released, unloaded and forgotten. NULL is
 * allowed. */
HEDDLE_API void heddle_device_close(struct heddle_device *device);
/* Returns the name of a kind of device that executes kernels, such as "vulkan"; NULL if `number` (0, 1, ...) is not
 * less than the number of these kinds. This machine need not have a device of the kind. */
HEDDLE_API const char *heddle_device_kind(size_t number);
/* The number of devices of a kind ("vulkan", "cuda" or "null"); their names are "KIND:0", "KIND:1" and so on. If the
 * number is 0, `error` has the reason (cut to error_size bytes, always terminated). */
HEDDLE_API size_t heddle_device_count(const char *kind, char *error, size_t error_size);

struct heddle_device_info {
  char name[64];         /* "cpu" */
  char description[128]; /* the manufacturer's name */
  char features[256];    /* the features that generated code uses, separated by spaces */
  uint64_t cores;        /* the number of physical cores that this process may use */
  uint64_t l1_data, l2, l3; /* bytes of cache that one core can use; 0: unknown */
};

/* Fills in the facts of the CPU that this process runs on. If the CPU has the tile registers of Intel AMX, the function
 * asks Linux for permission to use them. The permission holds until the process ends. */
HEDDLE_API void heddle_cpu_info(struct heddle_device_info *info);

#ifdef __cplusplus
}
#endif
#endif /* HEDDLE_DEVICE_H */
