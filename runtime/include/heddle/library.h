/* library.h - loads a shared library that heddle compiled. */
#ifndef HEDDLE_LIBRARY_H
#define HEDDLE_LIBRARY_H
#include "heddle/model.h"
#ifdef __cplusplus
extern "C" {
#endif

struct heddle_library;

/* Loads the library at `path` (a name without a slash is looked up in the current folder, not
 * on the system's search path). NULL on failure, with the reason in `error` (cut to
 * error_size bytes, always terminated). Free it with heddle_library_close. */
HEDDLE_API struct heddle_library *heddle_library_open(const char *path, char *error, size_t error_size);
/* What the library holds, as heddle_model_read copies it; lives as long as the library is open. */
HEDDLE_API const struct heddle_model *heddle_library_model(const struct heddle_library *library);
HEDDLE_API void heddle_library_close(struct heddle_library *library); /* NULL: nothing */

/* A copy of a description, of any version of ABI 3, in the layout of this one's <heddle/model.h>; names, shapes and
 * functions stay the library's. NULL, and in *reason a few words, where it is none that can be read, or out of memory.
 * What it says is not believed: a shape that cannot be computed is refused. Free it with heddle_model_free. */
HEDDLE_API struct heddle_model *heddle_model_read(const struct heddle_model *described, const char **reason);
HEDDLE_API void heddle_model_free(struct heddle_model *model); /* NULL: nothing */

#ifdef __cplusplus
}
#endif
#endif /* HEDDLE_LIBRARY_H */
