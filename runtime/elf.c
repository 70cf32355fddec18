/* elf.c - checks that a file is a complete shared library. */
#include "elf.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The linker defines this symbol at the ELF header of the program or library that contains this code. The header names
 * the kind of machine. */
extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));

static const char cut_off[] = "the file is truncated";

/* Reads `count` bytes at `offset`. Returns 0 on an error, or if the file ends before the last of these bytes. */
static int read_at(int file, void *to, size_t count, uint64_t offset) {
  return pread(file, to, count, (off_t)offset) == (ssize_t)count;
}

/* Whether `count` records of `size` bytes, beginning at `offset`, lie within a file of `total` bytes. */
static int is_inside(uint64_t offset, uint64_t count, uint64_t size, uint64_t total) {
  return offset <= total && (size == 0 || count <= (total - offset) / size);
}

/* Does what elf.h documents for heddle_why_not_library, for an open file. */
static const char *check(int file) {
  struct stat status;
  if (fstat(file, &status) != 0)
    return NULL;
  if (!S_ISREG(status.st_mode))
    return "not a regular file";
  uint64_t total = (uint64_t)status.st_size;
  Elf64_Ehdr header;
  if (!read_at(file, &header, sizeof header, 0))
    return total < sizeof header ? cut_off : NULL;
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_DYN || header.e_machine != __ehdr_start.e_machine ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return "not a shared library for this kind of machine";
  if (!is_inside(header.e_phoff, header.e_phnum, header.e_phentsize, total) ||
      !is_inside(header.e_shoff, header.e_shnum, header.e_shentsize, total))
    return cut_off;
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!read_at(file, &segment, sizeof segment, header.e_phoff + i * sizeof segment) ||
        !is_inside(segment.p_offset, 1, segment.p_filesz, total))
      return cut_off;
  }
  return NULL;
}

const char *heddle_why_not_library(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return NULL;
  const char *reason = check(file);
  close(file);
  return reason;
}
