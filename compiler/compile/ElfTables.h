//===- ElfTables.h - tables of names and symbols ----------------*- C++ -*-===//

#ifndef HEDDLE_COMPILE_ELFTABLES_H
#define HEDDLE_COMPILE_ELFTABLES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Object/ELFTypes.h"

#include <vector>

namespace heddle {

using ElfHeader = llvm::object::ELF64LE::Ehdr;
using ElfSegment = llvm::object::ELF64LE::Phdr;
using ElfSection = llvm::object::ELF64LE::Shdr;
using ElfSymbol = llvm::object::ELF64LE::Sym;
using ElfRelocation = llvm::object::ELF64LE::Rela;
using ElfDynamic = llvm::object::ELF64LE::Dyn;

/// A table of names that are terminated by 0. The first name is empty.
class ElfNames {
public:
  /// Returns the offset of a name. Adds the name if it is not in the table.
  uint32_t add(llvm::StringRef name);
  const std::vector<char> &bytes() const { return text; }

private:
  std::vector<char> text = {0};
  llvm::StringMap<uint32_t> offsets; // the offset of each name in `text`
};

/// Returns the entries of a table as bytes.
template <typename T> std::vector<char> elfBytes(llvm::ArrayRef<T> entries) {
  const char *begin = reinterpret_cast<const char *>(entries.data());
  return {begin, begin + entries.size() * sizeof(T)};
}

/// Returns the hash table with which the loader finds symbols by name (System V ABI, chapter 5, "Hash Table"). `names`
/// are the names of the symbols 1, 2, and so on; symbol 0 has no name.
std::vector<char> makeElfHash(llvm::ArrayRef<llvm::StringRef> names);
/// Returns the size in bytes of the hash table for `symbols` symbols. This number includes the empty first symbol.
uint64_t elfHashSize(uint64_t symbols);

} // namespace heddle

#endif // HEDDLE_COMPILE_ELFTABLES_H
