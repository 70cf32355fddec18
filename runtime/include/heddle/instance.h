/* instance.h - a model that is initialised: its code chosen for this CPU or brought to a device, its weights at hand.
 * From a library that was loaded, or of one that is linked in:
 *   char error[512];
 *   struct heddle_library *library = heddle_library_open("minilm.so", error, sizeof error);
 *   struct heddle_instance *minilm =
 *       heddle_instance_create(heddle_library_model(library), NULL, error, sizeof error);   or minilm_describe()
 *   ...                                                          calls of it: <heddle/call.h>
 *   heddle_instance_destroy(minilm);
 *   heddle_library_close(library);
 * C99 and C++. */
#ifndef HEDDLE_INSTANCE_H
#define HEDDLE_INSTANCE_H
#include "heddle/model.h"
#ifdef __cplusplus
extern "C" {
#endif

/* One instance serves any number of threads at once, each with a call of its own; it does not change. */
struct heddle_instance;

struct heddle_instance_options { /* zero-initialise it: a member that is 0 has its default */
  uint64_t struct_size;          /* of this struct, as who fills it in knows it: later versions append to it */
  const char *variant; /* the code for this CPU, one of the model's variants; NULL: the best for this machine */
  const char
      *weights_path;   /* the weights' file, where they are not in the library: it is mapped, and must not change */
  const void *weights; /* or where they are in memory, aligned to 8: they stay there as long as the instance */
  size_t weights_size;
  const struct heddle_device *device; /* for code for a device, which it stays open for */
};

/* Initialises a model, which stays loaded as long as the instance. `options` NULL: all defaults. NULL on failure, with
 * the reason in `error` (cut to error_size bytes, always terminated). Free it with heddle_instance_destroy. */
HEDDLE_API struct heddle_instance *heddle_instance_create(const struct heddle_model *model,
                                                          const struct heddle_instance_options *options, char *error,
                                                          size_t error_size);
/* All calls of it must have been destroyed. NULL: nothing. */
HEDDLE_API void heddle_instance_destroy(struct heddle_instance *instance);

/* What it was made from, in the layout of this version's <heddle/model.h>; lives as long as the instance. */
HEDDLE_API const struct heddle_model *heddle_instance_model(const struct heddle_instance *instance);
/* The name of the variant that was chosen; never NULL. */
HEDDLE_API const char *heddle_instance_variant(const struct heddle_instance *instance);
/* What the functions of its model take as `model`, for who calls them without <heddle/call.h>. */
HEDDLE_API const void *heddle_instance_state(const struct heddle_instance *instance);
/* The device that it is on; NULL: the CPU. */
HEDDLE_API const struct heddle_device *heddle_instance_device(const struct heddle_instance *instance);

#ifdef __cplusplus
}
#endif
#endif /* HEDDLE_INSTANCE_H */
