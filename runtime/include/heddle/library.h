/* library.h - loads shared libraries that heddle compiled. C99 and C++. */
#ifndef HEDDLE_LIBRARY_H
#define HEDDLE_LIBRARY_H
#include "heddle/model.h"
#ifdef __cplusplus
extern "C" {
#endif

struct heddle_library;

/* Loads the library at `path`. A path without a slash names a file in the current directory; the system's search path
 * is not used. Returns NULL on failure, with the reason in `error` (cut to error_size bytes, always terminated). Free
 * the result with heddle_library_close. */
HEDDLE_API struct heddle_library *heddle_library_open(const char *path, char *error, size_t error_size);
/* The description of the library's model, as heddle_model_read copies it; valid as long as the library is open. */
HEDDLE_API const struct heddle_model *heddle_library_model(const struct heddle_library *library);
HEDDLE_API void heddle_library_close(struct heddle_library *library); /* NULL is allowed */

/* Copies a description of ABI 3, which any version of heddle may have written, into the layout of this version's
 * <heddle/model.h>. The names, shapes and functions are not copied: they remain the library's. The description is not
 * trusted: a shape that cannot be computed is refused. Returns NULL, and a few words in *reason, if the description
 * cannot be read or there is not enough memory. Free the result with heddle_model_free. */
HEDDLE_API struct heddle_model *heddle_model_read(const struct heddle_model *described, const char **reason);
HEDDLE_API void heddle_model_free(struct heddle_model *model); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif /* HEDDLE_LIBRARY_H */
