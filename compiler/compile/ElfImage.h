//===- ElfImage.h - layout of the file of a shared library ------*- C++ -*-===//
//
// JITLink places the sections of an object at addresses that its client
// chooses. Usually these are addresses in the client's process. Here, they are
// addresses in a shared library, relative to its start. Symbols that the
// library does not define are looked up by the dynamic loader and not by
// JITLink. The format is defined in the System V ABI, chapters 4 and 5, and in
// its supplements for x86-64 and AArch64.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_COMPILE_ELFIMAGE_H
#define HEDDLE_COMPILE_ELFIMAGE_H

#include "compile/ElfTables.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"

namespace heddle {

/// A shared library that exports the symbols that the graph defines with default visibility. It has up to four
/// segments: constants and the tables of the loader; instructions; pointers, which become read-only after the loader
/// has set them; and data that code writes.
class ElfImage {
public:
  /// `graph` is JITLink's form of the object with the code. The graph must be for x86-64 or AArch64, and must outlive
  /// the image. `soname` is the name under which programs find the library at run time.
  ElfImage(llvm::jitlink::LinkGraph &graph, llvm::StringRef soname) : graph(graph), soname(soname) {}

  /// Assigns addresses to all blocks. Fails if the graph needs something that a loader cannot provide: absolute
  /// addresses that are part of instructions or are not 64 bits wide, relative addresses of symbols outside the
  /// library, or alignments larger than a page.
  llvm::Error place();
  /// Passes the bytes of the file to `piece`, in order. Before this call, JITLink must have filled in the addresses.
  void write(llvm::function_ref<void(llvm::ArrayRef<char>)> piece);

private:
  /// The segments in the order of the file. Parts that are NotLoaded are only in the file, after all segments.
  enum Segment { Constants, Instructions, Pointers, Data, segmentCount, NotLoaded = segmentCount };
  /// A section of the file: blocks of the graph, or a table.
  struct Part {
    std::string name;
    Segment segment;
    ElfSection section; // address and offset are 0 before place()
    llvm::SmallVector<llvm::jitlink::Block *> blocks; // the contents, if this is a section of the graph
    std::vector<char> table;                          // the contents, if this is a table; set by write()
  };

  llvm::Error addSection(llvm::jitlink::Section &section);
  /// Checks that the loader can relocate the edge, or that its value does not depend on the address of the library.
  llvm::Error checkEdge(const llvm::jitlink::Section &section, const llvm::jitlink::Edge &edge) const;
  Part &add(llvm::StringRef name, Segment segment, uint32_t type, uint64_t alignment, uint64_t size,
            uint64_t entrySize = 0);
  /// Returns the part of this name, which must exist.
  Part &find(llvm::StringRef name);
  void collectSymbols();
  /// Returns the number of pointers that the loader sets: if `within`, those to symbols in the library, otherwise those
  /// to symbols that the loader looks up.
  uint64_t countPointers(bool within) const;
  void placeParts();
  std::vector<char> makeRelocations();
  std::vector<char> makeDynamic();
  void addSymbolTable();
  void linkTables();
  std::vector<char> makeHeaders();
  /// Returns the number of the section in the file that contains the symbol.
  uint16_t indexOf(const llvm::jitlink::Symbol &symbol);
  /// Returns the entry of a symbol table without the name. `binding` is STB_LOCAL or STB_GLOBAL.
  ElfSymbol describe(const llvm::jitlink::Symbol &symbol, unsigned binding);

  llvm::jitlink::LinkGraph &graph;
  std::string soname;
  std::vector<std::unique_ptr<Part>> parts;                         // in the order of the file
  llvm::DenseMap<const llvm::jitlink::Section *, uint16_t> indices; // the number of each section in the file, from 1
  std::vector<llvm::jitlink::Symbol *> imported, exported;          // sorted by name
  ElfNames names;                                                   // the names in the loader's tables
  uint64_t end = 0;                                                 // the end of the parts in the file
};

} // namespace heddle

#endif // HEDDLE_COMPILE_ELFIMAGE_H
