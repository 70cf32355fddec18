/* instance.h - an initialised model: its code is selected for this CPU or loaded onto a device, and its weights are
 * available. The model comes from a library that is loaded at run time, or from one that is linked into the program:
 *   char error[512];
 *   struct heddle_library *library = heddle_library_open("minilm.so", error, sizeof error);
 *   struct heddle_instance *minilm =
 *       heddle_instance_create(heddle_library_model(library), NULL, error, sizeof error);   or minilm_describe()
 *   ...                                                          calls, as <heddle/call.h> describes
 *   heddle_instance_destroy(minilm);
 *   heddle_library_close(library);
 * C99 and C++. */
#ifndef HEDDLE_INSTANCE_H
#define HEDDLE_INSTANCE_H
#include "heddle/model.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Any number of threads may use an instance at once, each with a heddle_call of its own. An instance does not change
 * after it has been created. */
struct heddle_instance;

struct heddle_instance_options { /* 0 selects the default of every member except struct_size */
  uint64_t struct_size;          /* sizeof(struct heddle_instance_options); later versions append members */
  const char *variant; /* the name of a variant (the code for one CPU) of the model; NULL: the best for this CPU */
  /* The weights, if the library does not contain them: either a file, which is mapped and must not change, or weights
   * in memory, aligned to 8 bytes, which must stay valid as long as the instance. */
  const char *weights_path;
  const void *weights;
  size_t weights_size;
  const struct heddle_device *device; /* an open device, if the code is for a device; it must stay open */
};

/* Initialises a model. The model's library must stay loaded as long as the instance exists. If `options` is NULL, all
 * options have their defaults. Returns NULL on failure, with the reason in `error` (cut to error_size bytes, always
 * terminated). Free the result with heddle_instance_destroy. */
HEDDLE_API struct heddle_instance *heddle_instance_create(const struct heddle_model *model,
                                                          const struct heddle_instance_options *options, char *error,
                                                          size_t error_size);
/* Frees an instance, whose calls must all have been destroyed. NULL is allowed. */
HEDDLE_API void heddle_instance_destroy(struct heddle_instance *instance);

/* The description of the instance's model, in the layout of this version's <heddle/model.h>; valid as long as the
 * instance. */
HEDDLE_API const struct heddle_model *heddle_instance_model(const struct heddle_instance *instance);
/* The name of the variant that was selected; never NULL. */
HEDDLE_API const char *heddle_instance_variant(const struct heddle_instance *instance);
/* The pointer that the functions of heddle_model take as `model`, for programs that call them directly instead of
 * through <heddle/call.h>. */
HEDDLE_API const void *heddle_instance_state(const struct heddle_instance *instance);
/* The device that the instance runs on; NULL for a CPU. */
HEDDLE_API const struct heddle_device *heddle_instance_device(const struct heddle_instance *instance);

#ifdef __cplusplus
}
#endif
#endif /* HEDDLE_INSTANCE_H */
