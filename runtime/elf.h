/* elf.h - whether a file is a whole shared library. */
#ifndef HEDDLE_RUNTIME_ELF_H
#define HEDDLE_RUNTIME_ELF_H

/* Why the file is no whole shared library for this kind of machine, as far as its headers tell; NULL if it may be one, or
 * cannot be read. The dynamic linker maps a file that was cut off, and the process dies of what is missing. */
const char *heddle_why_not_library(const char *path);
#endif
