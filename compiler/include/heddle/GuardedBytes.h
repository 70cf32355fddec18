//===- GuardedBytes.h - memory between guard pages --------------*- C++ -*-===//

#ifndef HEDDLE_GUARDEDBYTES_H
#define HEDDLE_GUARDEDBYTES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/ErrorHandling.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace heddle {

/// Memory between two inaccessible pages. If `atEnd`, the memory ends exactly where the second page begins; otherwise
/// it begins exactly where the first page ends. An access beyond this boundary causes a segmentation fault.
class GuardedBytes {
public:
  GuardedBytes(size_t size, bool atEnd) : size(size), page(sysconf(_SC_PAGESIZE)), inside((size + page - 1) / page * page) {
    void *pages = mmap(nullptr, inside + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
      llvm::report_fatal_error("cannot allocate memory between guard pages");
    mapped = static_cast<char *>(pages);
    protect(PROT_READ | PROT_WRITE);
    memory = mapped + page + (atEnd ? inside - size : 0);
  }
  /// A read-only copy of `bytes`.
  GuardedBytes(llvm::ArrayRef<char> bytes, bool atEnd) : GuardedBytes(bytes.size(), atEnd) {
    if (!bytes.empty())
      memcpy(memory, bytes.data(), size);
    protect(PROT_READ);
  }
  GuardedBytes(GuardedBytes &&other)
      : size(other.size), page(other.page), inside(other.inside), mapped(std::exchange(other.mapped, nullptr)),
        memory(other.memory) {}
  ~GuardedBytes() {
    if (mapped)
      munmap(mapped, inside + 2 * page);
  }

  /// The memory; if it has no bytes, a pointer that must not be dereferenced.
  char *data() const { return memory; }
  const size_t size;

private:
  /// Sets the access (PROT_READ, PROT_WRITE) to all pages between the inaccessible ones.
  void protect(int access) {
    if (inside && mprotect(mapped + page, inside, access) != 0)
      llvm::report_fatal_error("cannot set the access to the memory between guard pages");
  }

  const size_t page, inside; // in bytes: a page, and all pages between the inaccessible ones
  char *mapped, *memory;     // the first inaccessible page (null if moved from), and the first byte of data()
};

} // namespace heddle

#endif // HEDDLE_GUARDEDBYTES_H
