//===- ElfImage.h - the file of a shared library ----------------*- C++ -*-===//
//
// JITLink puts the parts of an object together at addresses of our choice, as it does for a
// process. Here they are those in the file of a shared library, where what a process would
// look up by name is left to the dynamic loader. The format: System V ABI, chapters 4 and 5,
// and its supplements for x86-64 and AArch64.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_COMPILE_ELFIMAGE_H
#define HEDDLE_COMPILE_ELFIMAGE_H

#include "compile/ElfTables.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"

namespace heddle {

/// A shared library that exports what the graph defines with default visibility. Its segments: constants and the
/// loader's tables, instructions, pointers, which are read-only once the loader has set them, and data that code
/// writes.
class ElfImage {
public:
  /// Of a graph for x86-64 or AArch64, which must outlive the image. `soname`: the name that programs are linked to.
  ElfImage(llvm::jitlink::LinkGraph &graph, llvm::StringRef soname) : graph(graph), soname(soname) {}

  /// Gives all blocks their addresses. An error where the graph has what a loader does not do: addresses of the process
  /// among instructions, differences to what is elsewhere, alignments above a page.
  llvm::Error place();
  /// The bytes of the file, from its first to its last, once JITLink has filled in the addresses.
  void write(llvm::function_ref<void(llvm::ArrayRef<char>)> piece);

private:
  enum Segment { Constants, Instructions, Pointers, Data, segmentCount, NotLoaded = segmentCount };
  /// A section of the file: blocks of the graph, or a table.
  struct Part {
    std::string name;
    Segment segment;
    ElfSection section; // its address and offset are 0 until it is placed
    llvm::SmallVector<llvm::jitlink::Block *> blocks;
    std::vector<char> table;
  };

  llvm::Error addSection(llvm::jitlink::Section &section);
  /// That the loader can set it, or that it is the same wherever the library is loaded.
  llvm::Error checkEdge(const llvm::jitlink::Section &section, const llvm::jitlink::Edge &edge) const;
  Part &add(llvm::StringRef name, Segment segment, uint32_t type, uint64_t alignment, uint64_t size,
            uint64_t entrySize = 0);
  Part &find(llvm::StringRef name);
  void collectSymbols();
  /// That the loader sets: to what lies `within` the library, or to what it looks up.
  uint64_t countPointers(bool within) const;
  void placeParts();
  std::vector<char> makeRelocations();
  std::vector<char> makeDynamic();
  void addSymbolTable();
  void linkTables();
  std::vector<char> makeHeaders();
  /// Of the section in the file where the symbol is.
  uint16_t indexOf(const llvm::jitlink::Symbol &symbol);
  ElfSymbol describe(const llvm::jitlink::Symbol &symbol, unsigned binding);

  llvm::jitlink::LinkGraph &graph;
  std::string soname;
  std::vector<std::unique_ptr<Part>> parts;                         // as they lie in the file
  llvm::DenseMap<const llvm::jitlink::Section *, uint16_t> indices; // of the graph's sections
  std::vector<llvm::jitlink::Symbol *> imported, exported;          // by name
  ElfNames names;                                                   // the loader's
  uint64_t end = 0;                                                 // of the parts in the file
};

} // namespace heddle

#endif // HEDDLE_COMPILE_ELFIMAGE_H
