//===- elf.cpp - whether a file is a whole shared library -----------------===//

#include "elf.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {
struct File {
  explicit File(const char *path) : descriptor(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~File() {
    if (descriptor >= 0)
      close(descriptor);
  }
  bool read(void *to, size_t count, uint64_t offset) const {
    return pread(descriptor, to, count, off_t(offset)) == ssize_t(count);
  }
  int descriptor;
};
} // namespace

/// Whether `count` pieces of `size` bytes from `offset` on lie in a file of `total` bytes.
static bool isInside(uint64_t offset, uint64_t count, uint64_t size, uint64_t total) {
  return offset <= total && (size == 0 || count <= (total - offset) / size);
}

const char *heddle::whyNotLibrary(const char *path) {
  static const char cutOff[] = "the file is cut off", other[] = "not a shared library for x86-64";
  File file(path);
  struct stat status;
  if (file.descriptor < 0 || fstat(file.descriptor, &status) != 0)
    return nullptr;
  if (!S_ISREG(status.st_mode))
    return "not a regular file";
  auto total = uint64_t(status.st_size);
  Elf64_Ehdr header;
  if (!file.read(&header, sizeof header, 0))
    return total < sizeof header ? cutOff : nullptr;
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_DYN || header.e_machine != EM_X86_64 ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return other;
  if (!isInside(header.e_phoff, header.e_phnum, header.e_phentsize, total) ||
      !isInside(header.e_shoff, header.e_shnum, header.e_shentsize, total))
    return cutOff;
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!file.read(&segment, sizeof segment, header.e_phoff + i * sizeof segment) ||
        !isInside(segment.p_offset, 1, segment.p_filesz, total))
      return cutOff;
  }
  return nullptr;
}
