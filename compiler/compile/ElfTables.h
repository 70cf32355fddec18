//===- ElfTables.h - tables of names and symbols in ELF files ---*- C++ -*-===//

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

/// Names one after the other, each ended by 0; the first is empty.
class ElfNames {
public:
  /// The offset of a name, which is put there if it is not.
  uint32_t add(llvm::StringRef name);
  const std::vector<char> &bytes() const { return text; }

private:
  std::vector<char> text = {0};
  llvm::StringMap<uint32_t> offsets;
};

/// The bytes of entries that go into a table.
template <typename T> std::vector<char> elfBytes(llvm::ArrayRef<T> entries) {
  const char *begin = reinterpret_cast<const char *>(entries.data());
  return {begin, begin + entries.size() * sizeof(T)};
}

/// How the loader finds the symbol of a name (System V ABI, chapter 5, "Hash Table"): of symbols 1, 2, ... with these
/// names.
std::vector<char> makeElfHash(llvm::ArrayRef<llvm::StringRef> names);
/// The bytes of that table for so many symbols, the empty one at the begin counted.
uint64_t elfHashSize(uint64_t symbols);

} // namespace heddle

#endif // HEDDLE_COMPILE_ELFTABLES_H
