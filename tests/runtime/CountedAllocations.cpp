//===- CountedAllocations.cpp - counts allocations of the process ---------===//
//
// The functions of this file replace malloc, free and most other allocation
// functions of libc in the whole process, also in calls from libraries. They
// forward each call to glibc's own implementation (__libc_malloc and so on),
// and count the allocations that succeed and the deallocations.
//
//===----------------------------------------------------------------------===//

#include "CountedAllocations.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define HEDDLE_TEST_SANITIZED
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HEDDLE_TEST_SANITIZED
#endif
#endif

static std::atomic<long long> made{0}, freed{0}; // the numbers of allocations and deallocations so far

long long allocations() { return made; }
long long aliveAllocations() { return made - freed; }

#ifdef HEDDLE_TEST_SANITIZED

bool countsAllocations() { return false; }

#else

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

/// Counts an allocation, unless it failed and `memory` is null. Returns `memory`.
static void *counted(void *memory) {
  made += memory != nullptr;
  return memory;
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }
void *realloc(void *memory, size_t size) {
  freed += memory != nullptr;
  return counted(__libc_realloc(memory, size));
}
void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }
int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = counted(__libc_memalign(alignment, size));
  return *memory ? 0 : ENOMEM;
}
void free(void *memory) {
  freed += memory != nullptr;
  __libc_free(memory);
}
}

bool countsAllocations() {
  long long before = made;
  // strdup calls malloc inside libc. A direct call of malloc here would not show that calls from libraries are counted.
  void *volatile memory = strdup("by libc");
  free(memory);
  return made > before;
}

#endif
