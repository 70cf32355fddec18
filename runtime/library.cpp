//===- library.cpp - loads a shared library that heddle compiled ----------===//

#include "heddle/library.h"

#include "elf.h"

#include <dlfcn.h>
#include <limits.h>
#include <new>
#include <stdio.h>
#include <string.h>

struct heddle_library {
  void *handle;
  const heddle_model *model;
};

static heddle_library *fail(void *handle, char *error, size_t size, const char *path, const char *reason) {
  if (size)
    snprintf(error, size, "%s: %s", path, reason);
  if (handle)
    dlclose(handle);
  return nullptr;
}

extern "C" heddle_library *heddle_library_open(const char *path, char *error, size_t errorSize) {
  char here[PATH_MAX];
  const char *file = path;
  if (!strchr(path, '/')) {
    if (snprintf(here, sizeof here, "./%s", path) >= int(sizeof here))
      return fail(nullptr, error, errorSize, path, "the path is too long");
    file = here;
  }
  if (const char *reason = heddle::whyNotLibrary(file))
    return fail(nullptr, error, errorSize, path, reason);
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    if (errorSize)
      snprintf(error, errorSize, "%s", dlerror());
    return nullptr;
  }
  using Query = const heddle_model *(*)(uint32_t);
  auto query = reinterpret_cast<Query>(dlsym(handle, "heddle_query"));
  if (!query)
    return fail(handle, error, errorSize, path, "not a library of heddle's: it has no heddle_query");
  const heddle_model *model = query(HEDDLE_ABI_VERSION);
  if (!model)
    return fail(handle, error, errorSize, path, "was written for another version of heddle");
  auto *library = new (std::nothrow) heddle_library{handle, model};
  return library ? library : fail(handle, error, errorSize, path, "out of memory");
}

extern "C" const heddle_model *heddle_library_model(const heddle_library *library) { return library->model; }

extern "C" void heddle_library_close(heddle_library *library) {
  if (!library)
    return;
  dlclose(library->handle);
  delete library;
}
