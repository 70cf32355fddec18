//===- ElfImageTables.cpp - the tables of the dynamic loader --------------===//

#include "compile/ElfImage.h"
#include "compile/ElfMachine.h"

#include "llvm/BinaryFormat/ELF.h"

using namespace heddle;
using namespace llvm;
using namespace llvm::ELF;
using namespace llvm::jitlink;

uint16_t ElfImage::indexOf(const Symbol &symbol) { return indices.lookup(&symbol.getBlock().getSection()); }

ElfSymbol ElfImage::describe(const Symbol &symbol, unsigned binding) {
  ElfSymbol described = {};
  if (symbol.isExternal() && symbol.isWeaklyReferenced()) // the symbol may be missing
    binding = STB_WEAK;
  described.setBindingAndType(binding, !symbol.isDefined() ? STT_NOTYPE : symbol.isCallable() ? STT_FUNC : STT_OBJECT);
  if (symbol.isDefined()) {
    described.st_shndx = indexOf(symbol);
    described.st_value = symbol.getAddress().getValue();
    described.st_size = symbol.getSize();
  }
  return described;
}

/// Returns the table of the relocations that the loader performs: one for each pointer.
std::vector<char> ElfImage::makeRelocations() {
  const ElfMachine &machine = elfMachineOf(graph);
  std::vector<ElfRelocation> relative, absolute; // the loader expects relative relocations first
  DenseMap<const Symbol *, uint32_t> numbers;
  for (auto [number, symbol] : llvm::enumerate(imported))
    numbers[symbol] = uint32_t(number + 1);
  for (const std::unique_ptr<Part> &part : parts)
    for (Block *block : part->blocks)
      for (const Edge &edge : block->edges()) {
        if (edge.getKind() != machine.pointer)
          continue;
        const Symbol &target = edge.getTarget();
        ElfRelocation relocation = {};
        relocation.r_offset = block->getFixupAddress(edge).getValue();
        relocation.r_addend = edge.getAddend() + (target.isDefined() ? target.getAddress().getValue() : 0);
        relocation.setSymbolAndType(numbers.lookup(&target), target.isDefined() ? machine.relative : machine.absolute,
                                    /*IsMips64EL=*/false);
        (target.isDefined() ? relative : absolute).push_back(relocation);
        if (!target.isDefined()) // JITLink wrote the artificial address of imported symbols (SharedLibrary.cpp)
          std::memset(block->getAlreadyMutableContent().data() + edge.getOffset(), 0, sizeof(uint64_t));
      }
  llvm::append_range(relative, absolute);
  return elfBytes(ArrayRef(relative));
}

/// Returns the table .dynamic, in which the loader finds the other tables. Before the parts are placed, the addresses
/// in the table are 0, but its size is final.
std::vector<char> ElfImage::makeDynamic() {
  std::vector<ElfDynamic> entries;
  auto set = [&](int64_t tag, uint64_t value) {
    entries.emplace_back();
    entries.back().d_tag = tag;
    entries.back().d_un.d_val = value;
  };
  auto address = [&](StringRef name) { return uint64_t(find(name).section.sh_addr); };
  set(DT_SONAME, names.add(soname));
  set(DT_HASH, address(".hash"));
  set(DT_STRTAB, address(".dynstr"));
  set(DT_STRSZ, names.bytes().size());
  set(DT_SYMTAB, address(".dynsym"));
  set(DT_SYMENT, sizeof(ElfSymbol));
  if (uint64_t size = find(".rela.dyn").section.sh_size) {
    set(DT_RELA, address(".rela.dyn"));
    set(DT_RELASZ, size);
    set(DT_RELAENT, sizeof(ElfRelocation));
    set(DT_RELACOUNT, countPointers(/*within=*/true));
  }
  set(DT_FLAGS, DF_BIND_NOW); // resolve all symbols while loading, because pointers are read-only afterwards
  set(DT_FLAGS_1, DF_1_NOW);
  set(DT_NULL, 0);
  return elfBytes(ArrayRef(entries));
}

/// Adds a symbol table for profilers and debuggers, which also contains symbols that the library does not export. Adds
/// the names of symbols and sections. All three tables follow the segments in the file and are not loaded.
void ElfImage::addSymbolTable() {
  std::vector<Symbol *> own;
  for (Symbol *symbol : graph.defined_symbols())
    if (symbol->hasName() && symbol->getScope() != Scope::Default && !(*symbol->getName()).starts_with(".L") &&
        indexOf(*symbol))
      own.push_back(symbol);
  llvm::sort(own, [](Symbol *a, Symbol *b) {
    return std::pair(a->getAddress(), *a->getName()) < std::pair(b->getAddress(), *b->getName());
  });
  ElfNames allNames;
  std::vector<ElfSymbol> symbols(1);
  auto addAll = [&](ArrayRef<Symbol *> some, unsigned binding) {
    for (Symbol *symbol : some) {
      symbols.push_back(describe(*symbol, binding));
      symbols.back().st_name = allNames.add(*symbol->getName());
    }
  };
  addAll(own, STB_LOCAL);
  addAll(imported, STB_GLOBAL);
  addAll(exported, STB_GLOBAL);
  Part &table = add(".symtab", NotLoaded, SHT_SYMTAB, 8, 0, sizeof(ElfSymbol));
  table.table = elfBytes(ArrayRef(symbols));
  table.section.sh_info = uint32_t(own.size() + 1);
  add(".strtab", NotLoaded, SHT_STRTAB, 1, 0).table = allNames.bytes();
  ElfNames sectionNames;
  Part &last = add(".shstrtab", NotLoaded, SHT_STRTAB, 1, 0);
  for (const std::unique_ptr<Part> &part : parts)
    part->section.sh_name = sectionNames.add(part->name);
  last.table = sectionNames.bytes();
  for (Part *part : {&table, &find(".strtab"), &last}) {
    end = alignTo(end, part->section.sh_addralign);
    part->section.sh_offset = end;
    part->section.sh_size = part->table.size();
    end += part->table.size();
  }
}
