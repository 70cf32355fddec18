//===- elf.h - whether a file is a whole shared library ---------*- C++ -*-===//

#ifndef HEDDLE_RUNTIME_ELF_H
#define HEDDLE_RUNTIME_ELF_H

namespace heddle {

/// Why the file is no whole shared library for this kind of machine, as far as its headers tell; null if it may be one,
/// or cannot be read. The dynamic linker maps a file that was cut off, and the process dies of what is missing.
const char *whyNotLibrary(const char *path);

} // namespace heddle

#endif // HEDDLE_RUNTIME_ELF_H
