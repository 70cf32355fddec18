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
struct heddle_library *heddle_library_open(const char *path, char *error, size_t error_size);
/* What the library holds; lives as long as the library is open. */
const struct heddle_model *heddle_library_model(const struct heddle_library *library);
void heddle_library_close(struct heddle_library *library); /* NULL: nothing */

#ifdef __cplusplus
}
#endif
#endif /* HEDDLE_LIBRARY_H */
