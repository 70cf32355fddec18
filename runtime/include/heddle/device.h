/* device.h - what can run generated code here: the CPU, and devices with memory and code of their own.
 * Generated code links nothing of a device. It reaches one through a table of functions, which its host program opens
 * and passes, as it passes an executor:
 *   char error[256];
 *   struct heddle_device *gpu = heddle_device_open("vulkan", error, sizeof error);
 *   status = minilm_init(&model, NULL, 0, gpu);  ...  minilm_run(...);  ...  minilm_deinit(&model);
 *   heddle_device_close(gpu);
 * C99 and C++. Sizes and offsets are bytes. */
#ifndef HEDDLE_DEVICE_H
#define HEDDLE_DEVICE_H
#include "heddle/abi.h"
#ifdef __cplusplus
extern "C" {
#endif

struct heddle_memory;   /* bytes on a device */
struct heddle_code;     /* kernels, loaded */
struct heddle_launches; /* launches, recorded to be replayed */

/* Bits: what a program may need, and what a device has. heddle_feature_name has the words. */
enum heddle_device_features {
  HEDDLE_FEATURE_FLOAT16 = 1 << 0, /* arithmetic of this type in kernels */
  HEDDLE_FEATURE_FLOAT64 = 1 << 1,
  HEDDLE_FEATURE_INT8 = 1 << 2,
  HEDDLE_FEATURE_INT16 = 1 << 3,
  HEDDLE_FEATURE_INT64 = 1 << 4,
  HEDDLE_FEATURE_STORAGE8 = 1 << 5, /* elements of 8 bits in buffers */
  HEDDLE_FEATURE_STORAGE16 = 1 << 6,
  HEDDLE_FEATURE_SIGNED_ZERO_INF_NAN = 1 << 7, /* kept by all floating types that it has, where kernels ask for it */
  HEDDLE_FEATURE_SUBGROUP_BASIC = 1 << 8,      /* operations among the threads of a sub-group */
  HEDDLE_FEATURE_SUBGROUP_VOTE = 1 << 9,
  HEDDLE_FEATURE_SUBGROUP_ARITHMETIC = 1 << 10,
  HEDDLE_FEATURE_SUBGROUP_BALLOT = 1 << 11,
  HEDDLE_FEATURE_SUBGROUP_SHUFFLE = 1 << 12,
  HEDDLE_FEATURE_SUBGROUP_SHUFFLE_RELATIVE = 1 << 13,
  HEDDLE_FEATURE_SUBGROUP_CLUSTERED = 1 << 14,
  HEDDLE_FEATURE_SUBGROUP_QUAD = 1 << 15,
  HEDDLE_FEATURE_DENORM_PRESERVE = 1 << 16 /* of all floating types that it has, where kernels ask for it */
};

/* The name of feature bit 0, 1, ...; NULL past the last. */
static inline const char *heddle_feature_name(unsigned bit) {
  static const char *const names[] = {
      "float16", "float64", "int8", "int16", "int64", "storage8", "storage16", "signed-zero-inf-nan",
      "subgroup-basic", "subgroup-vote", "subgroup-arithmetic", "subgroup-ballot", "subgroup-shuffle",
      "subgroup-shuffle-relative", "subgroup-clustered", "subgroup-quad", "denorm-preserve"};
  return bit < sizeof names / sizeof *names ? names[bit] : NULL;
}

struct heddle_device_limits {
  uint64_t memory;              /* bytes, of all memories together */
  uint64_t memory_size;         /* of one memory */
  uint64_t alignment;           /* what the offset of a view is a multiple of */
  uint64_t view_size;
  uint64_t buffers;             /* of a kernel */
  uint64_t workgroup_memory;
  uint64_t workgroup_threads;   /* in all three dimensions */
  uint64_t workgroup_size[3];   /* threads, in each */
  uint64_t workgroup_count[3];  /* of a launch */
  uint64_t subgroup_size;       /* threads */
};

struct heddle_kernel {
  const char *name;
  uint64_t buffers;          /* that it is passed; in SPIR-V binding 0 .. buffers - 1 of set 0, in PTX its parameters */
  uint64_t threads[3];       /* of a workgroup, each at least 1 */
  uint64_t workgroup_memory; /* bytes; in PTX those that its text declares, and of an array of .extern .shared */
  /* Where its code lies among the program's bytes: SPIR-V: a module, aligned to 4. Size 0: all of them, as PTX does
   * best. Some of Vulkan's drivers count the workgroup memory of all kernels in a module as that of each: more than one
   * is for small ones. */
  uint64_t code_offset, code_size;
};

struct heddle_program { /* code for one kind of device */
  const char *format;   /* "spirv", "ptx" */
  const void *bytes;    /* SPIR-V: modules, aligned to 4; PTX: text */
  uint64_t size;
  uint64_t kernel_count;
  const struct heddle_kernel *kernels;
  /* enum heddle_device_features, those that it needs. What else it asks for that signs of zeros, infinities and NaN are
   * kept is heard where the device has that feature, and left out elsewhere. */
  uint64_t features;
};

struct heddle_view { /* part of a memory, which a kernel is passed as a buffer */
  uint64_t memory;   /* index into what `record` is given */
  uint64_t offset;   /* a multiple of the limit `alignment` */
  uint64_t size;     /* at least 1 */
};

struct heddle_launch {
  uint64_t kernel;                 /* index into the program's kernels */
  uint64_t groups[3];              /* workgroups, each at least 1 */
  const struct heddle_view *views; /* as many as the kernel has buffers */
  /* NULL, or where three numbers of 32 bits say how many workgroups there are when the launch begins, as copies in or
   * launches before it left them: `groups` at most, and none where one is 0. Its offset is a multiple of 4. CUDA has no
   * such launches: all `groups` are launched there, and kernels of PTX look for themselves whether they are beyond. */
  const struct heddle_view *counts;
};

struct heddle_copy { /* between the host, or another memory, and a memory that `record` was given */
  void *host;        /* read where it is copied in, written where it is copied out */
  uint64_t memory, offset, size;
  struct heddle_memory *other; /* of this device, in the place of the host; else NULL */
  uint64_t other_offset;
};

struct heddle_binding { /* what an open memory is in one replay: part of another memory of this device */
  uint64_t memory;      /* index into what `record` was given, where it was NULL */
  struct heddle_memory *bound;
  uint64_t offset, size; /* offset: a multiple of the limit `alignment`; size: at least 1 */
};

/* One device serves any number of models and threads at once. Nothing that is passed to a function is referred to
 * after it returned, but memories and code that `record` was given: they stay until `forget`. NULL may be released,
 * unloaded and forgotten. What is passed is checked: what cannot be is HEDDLE_INVALID_ARGUMENT, what this device
 * cannot do HEDDLE_UNSUPPORTED_DEVICE, before anything is made. A host program may fill in such a table itself. */
struct heddle_device {
  void *self;
  uint64_t size;           /* of this struct: later versions append to it */
  const char *name;        /* as heddle_device_open takes it: "vulkan:0" */
  const char *description; /* the maker's name for it */
  const char *driver;      /* name and version */
  const char *format;      /* of the programs that it loads: "spirv", "ptx" */
  uint64_t features;       /* enum heddle_device_features, those that it has */
  const struct heddle_device_limits *limits;

  /* What the bytes hold before they are written is undefined. */
  enum heddle_status (*allocate)(void *self, uint64_t size, struct heddle_memory **memory);
  void (*release)(void *self, struct heddle_memory *memory);
  /* Return when all is copied; no replay may use those bytes meanwhile. */
  enum heddle_status (*upload)(void *self, struct heddle_memory *memory, uint64_t offset, const void *host,
                               uint64_t size);
  enum heddle_status (*download)(void *self, struct heddle_memory *memory, uint64_t offset, void *host, uint64_t size);
  enum heddle_status (*load)(void *self, const struct heddle_program *program, struct heddle_code **code);
  void (*unload)(void *self, struct heddle_code *code);
  /* Each launch sees what those before it wrote. A memory that is NULL is open: replay_with says what it is. `staging`: the copies in from the host of one replay have at most this
   * many bytes in all, and so have the copies out to it: replay allocates nothing. */
  enum heddle_status (*record)(void *self, struct heddle_code *code, struct heddle_memory *const *memories,
                               uint64_t memory_count, const struct heddle_launch *launches, uint64_t launch_count,
                               uint64_t staging, struct heddle_launches **recorded);
  void (*forget)(void *self, struct heddle_launches *recorded);
  /* Copies in, launches, copies out, and returns when all is done. Copies in overlap nowhere on the device, copies
   * out nowhere where they go. Of two threads that replay the same launches one waits for the other. */
  enum heddle_status (*replay)(void *self, struct heddle_launches *recorded, const struct heddle_copy *in,
                               uint64_t in_count, const struct heddle_copy *out, uint64_t out_count);
  /* What went wrong, in words, in the last call of this thread, on any device, that did not return HEDDLE_OK. Never
   * NULL; lives until the thread's next call. */
  const char *(*error)(void *self);
  void (*close)(void *self); /* what heddle_device_close calls */

  /* As record; then `times` has the seconds that each launch took in the last replay, by the device's timers, for so
   * many launches as were recorded. HEDDLE_UNSUPPORTED_DEVICE where it has none. */
  enum heddle_status (*record_timed)(void *self, struct heddle_code *code, struct heddle_memory *const *memories,
                                     uint64_t memory_count, const struct heddle_launch *launches,
                                     uint64_t launch_count, uint64_t staging, struct heddle_launches **recorded);
  enum heddle_status (*times)(void *self, struct heddle_launches *recorded, double *seconds, uint64_t launch_count);

  /* What the driver compiled of all that was loaded, for a host program to keep in a file: a later process that hands
   * it to restore_cache loads faster. `size`: the room at `data`, and then what there is; data NULL: nothing is written.
   * HEDDLE_INVALID_ARGUMENT where it does not fit: more may have been loaded since `size` was asked for. */
  enum heddle_status (*save_cache)(void *self, void *data, uint64_t *size);
  /* What is damaged, or was not saved on this device with this driver, is HEDDLE_INVALID_ARGUMENT, and nothing else
   * happens: then code is compiled anew. (Drivers trust what they get: keep it where nobody else writes.) */
  enum heddle_status (*restore_cache)(void *self, const void *data, uint64_t size);

  /* As replay, of launches with open memories. Each of these that a launch has a view of is bound once; such a view begins
   * at its offset behind the binding's, and ends where the binding does, if not before. Copies have no open memory. What
   * is bound stays until the next replay, or `forget`: the same bindings again cost nothing. */
  enum heddle_status (*replay_with)(void *self, struct heddle_launches *recorded, const struct heddle_binding *bindings,
                                    uint64_t binding_count, const struct heddle_copy *in, uint64_t in_count,
                                    const struct heddle_copy *out, uint64_t out_count);
};

/* Opens a device:
 *   "vulkan"       the most capable that Vulkan lists: a GPU of its own before one of the CPU's, that before software
 *   "vulkan:N"     the N-th that it lists, from 0
 *   "vulkan:NAME"  the one whose name has this part, or whose UUID is this
 *   "cuda", "cuda:N", "cuda:NAME"  the same of CUDA, which lists the most capable first; its driver must be of CUDA 11.4
 *                  or later. (It serves no child of a fork: those are refused what they ask of their parent's device.)
 *   "null"         memory and copies on the host; programs and launches are checked, and no kernel is executed
 * NULL on failure, with the reason in `error` (cut to error_size bytes, always terminated). */
HEDDLE_API struct heddle_device *heddle_device_open(const char *name, char *error, size_t error_size);
/* Everything made on the device must have been released, unloaded and forgotten. NULL: nothing. */
HEDDLE_API void heddle_device_close(struct heddle_device *device);
/* The name of kind 0, 1, ... of devices that execute kernels, such as "vulkan"; NULL past the last. Any may have none
 * here. */
HEDDLE_API const char *heddle_device_kind(size_t number);
/* How many devices "KIND:N" names, for such a kind or "null"; where there are none, `error` says why. */
HEDDLE_API size_t heddle_device_count(const char *kind, char *error, size_t error_size);

struct heddle_device_info {
  char name[64];         /* "cpu" */
  char description[128]; /* the maker's name for it */
  char features[256];    /* of those that generated code makes use of, separated by spaces */
  uint64_t cores;        /* physical, that this process may use */
  uint64_t l1_data, l2, l3; /* bytes of cache that one core reaches; 0: unknown */
};

/* Fills in what the CPU that this process runs on can do. */
HEDDLE_API void heddle_cpu_info(struct heddle_device_info *info);

#ifdef __cplusplus
}
#endif
#endif /* HEDDLE_DEVICE_H */
