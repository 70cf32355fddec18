/* library.c - loads shared libraries that heddle compiled. */
#include "heddle/library.h"

#include "elf.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct heddle_library {
  void *handle;
  struct heddle_model *model;
};

/* Writes the error text, closes the library unless `handle` is NULL, and returns NULL. */
static struct heddle_library *fail(void *handle, char *error, size_t size, const char *path, const char *reason) {
  if (size)
    snprintf(error, size, "%s: %s", path, reason);
  if (handle)
    dlclose(handle);
  return NULL;
}

/* Returns the reason why a library that does not support the ABI of this version cannot be loaded. The reason names an
 * ABI that the library supports, if one below 100 is found. The result is a constant or `text`, which has room for
 * `size` bytes. */
static const char *why_other_version(const struct heddle_model *(*query)(uint32_t), char *text, size_t size) {
  for (uint32_t abi = 1; abi < 100; ++abi)
    if (query(abi)) {
      snprintf(text, size,
               "was written for ABI %u of heddle, but this version supports only ABI %u: compile the model again",
               (unsigned)abi, (unsigned)HEDDLE_ABI_VERSION);
      return text;
    }
  return "was written for another version of heddle";
}

struct heddle_library *heddle_library_open(const char *path, char *error, size_t error_size) {
  char here[PATH_MAX];
  const char *file = path;
  if (!strchr(path, '/')) {
    if (snprintf(here, sizeof here, "./%s", path) >= (int)sizeof here)
      return fail(NULL, error, error_size, path, "the path is too long");
    file = here;
  }
  const char *reason = heddle_why_not_library(file);
  if (reason)
    return fail(NULL, error, error_size, path, reason);
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    if (error_size)
      snprintf(error, error_size, "%s", dlerror());
    return NULL;
  }
  const struct heddle_model *(*query)(uint32_t);
  *(void **)&query = dlsym(handle, "heddle_query");
  if (!query)
    return fail(handle, error, error_size, path, "not a library made by heddle: it has no function heddle_query");
  const struct heddle_model *described = query(HEDDLE_ABI_VERSION);
  if (!described) {
    char version[128];
    return fail(handle, error, error_size, path, why_other_version(query, version, sizeof version));
  }
  struct heddle_library *library = malloc(sizeof *library);
  if (!library)
    return fail(handle, error, error_size, path, "out of memory");
  library->handle = handle;
  library->model = heddle_model_read(described, &reason);
  if (library->model)
    return library;
  free(library);
  return fail(handle, error, error_size, path, reason);
}

const struct heddle_model *heddle_library_model(const struct heddle_library *library) { return library->model; }

void heddle_library_close(struct heddle_library *library) {
  if (!library)
    return;
  heddle_model_free(library->model);
  dlclose(library->handle);
  free(library);
}
