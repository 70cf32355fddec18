/* elf.h - checks that a file is a complete shared library. */
#ifndef HEDDLE_RUNTIME_ELF_H
#define HEDDLE_RUNTIME_ELF_H

/* Returns the reason why the file is not a complete shared library for this kind of machine, according to its headers.
 * Returns NULL if the headers show no error, or if the file cannot be read. The check is needed because the dynamic
 * linker maps a truncated file, and the process is then killed when it accesses the missing part. */
const char *heddle_why_not_library(const char *path);
#endif
