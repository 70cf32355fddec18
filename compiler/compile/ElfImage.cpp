//===- ElfImage.cpp - layout of the file of a shared library --------------===//

#include "compile/ElfImage.h"
#include "compile/ElfMachine.h"

#include "llvm/BinaryFormat/ELF.h"

using namespace heddle;
using namespace llvm;
using namespace llvm::ELF;
using namespace llvm::jitlink;

static std::string nameOf(const Symbol &symbol) { return symbol.hasName() ? (*symbol.getName()).str() : ""; }

/// Returns the sort key of a block: its address in the object, and the name of the symbol that it refers to. The name
/// determines the order of blocks that JITLink made (stubs and pointers to symbols), which have no address yet.
static std::pair<uint64_t, std::string> orderOf(const Block &block) {
  std::string target;
  const Block *at = &block;
  // A stub refers to a pointer, and the pointer refers to a symbol. The number of steps is limited because other
  // blocks, such as a function and its unwind information, refer to each other in cycles.
  for (unsigned step = 0; step < 2 && target.empty() && !at->edges_empty(); ++step) {
    const Symbol &symbol = at->edges().begin()->getTarget();
    target = nameOf(symbol);
    if (!symbol.isDefined())
      break;
    at = &symbol.getBlock();
  }
  return {block.getAddress().getValue(), target};
}

ElfImage::Part &ElfImage::add(StringRef name, Segment segment, uint32_t type, uint64_t alignment, uint64_t size,
                              uint64_t entrySize) {
  const uint64_t flags[] = {SHF_ALLOC, SHF_ALLOC | SHF_EXECINSTR, SHF_ALLOC | SHF_WRITE, SHF_ALLOC | SHF_WRITE, 0};
  parts.push_back(std::make_unique<Part>());
  Part &part = *parts.back();
  part.name = name.str();
  part.segment = segment;
  part.section.sh_type = type;
  part.section.sh_flags = flags[segment];
  part.section.sh_addralign = alignment;
  part.section.sh_size = size;
  part.section.sh_entsize = entrySize;
  return part;
}

ElfImage::Part &ElfImage::find(StringRef name) {
  return **llvm::find_if(parts, [&](const std::unique_ptr<Part> &part) { return part->name == name; });
}

uint64_t ElfImage::countPointers(bool within) const {
  uint64_t count = 0;
  for (const std::unique_ptr<Part> &part : parts)
    for (const Block *block : part->blocks)
      for (const Edge &edge : block->edges())
        count += edge.getKind() == elfMachineOf(graph).pointer && edge.getTarget().isDefined() == within;
  return count;
}

Error ElfImage::checkEdge(const Section &section, const Edge &edge) const {
  const ElfMachine &machine = elfMachineOf(graph);
  std::string address = ("section " + section.getName() + " has an address of kind ").str();
  if (llvm::is_contained(machine.fixed, edge.getKind()))
    return createStringError(address + graph.getEdgeKindName(edge.getKind()) + ", which a loader cannot change");
  const Symbol &target = edge.getTarget();
  if (edge.isRelocation() && !target.isDefined() && (target.isAbsolute() || edge.getKind() != machine.pointer))
    return createStringError(address + graph.getEdgeKindName(edge.getKind()) + " of " + nameOf(target) +
                             ", which is not in the library");
  return Error::success();
}

/// Adds a section of the graph to the segment for its contents. Fails if the loader could not relocate it.
Error ElfImage::addSection(Section &section) {
  const ElfMachine &machine = elfMachineOf(graph);
  SmallVector<Block *> blocks(section.blocks());
  llvm::sort(blocks, [](Block *a, Block *b) { return orderOf(*a) < orderOf(*b); });
  // Whether blocks of the section contain pointers, and whether they contain anything else. On AArch64, JITLink may put
  // pointers into sections with the protection of code. Such a section is not treated as code if it has only pointers.
  bool hasPointers = false, hasElse = false;
  uint64_t alignment = 1, size = 0;
  for (Block *block : blocks) {
    for (Edge &edge : block->edges()) {
      if (Error error = checkEdge(section, edge))
        return error;
      if (edge.getKind() == machine.relaxed)
        edge.setKind(machine.kept);
      hasPointers |= edge.getKind() == machine.pointer;
    }
    hasElse |= block->edges_size() * graph.getPointerSize() != block->getSize();
    alignment = std::max(alignment, block->getAlignment());
    size = alignTo(size, block->getAlignment()) + block->getSize();
  }
  if (alignment > machine.page) // the loader may place a library at the start of any page
    return createStringError("section %s is aligned to %llu bytes, more than the %llu of a page",
                             section.getName().str().c_str(), (unsigned long long)alignment,
                             (unsigned long long)machine.page);
  bool isCode = (section.getMemProt() & orc::MemProt::Exec) != orc::MemProt::None && (hasElse || !hasPointers);
  bool isWritten = (section.getMemProt() & orc::MemProt::Write) != orc::MemProt::None;
  if (isCode && hasPointers)
    return createStringError("section " + section.getName() +
                             " contains pointers among instructions, where a loader cannot set them");
  bool isData = isWritten && !section.getName().starts_with(".data.rel.ro");
  Segment segment = isCode ? Instructions : isData ? Data : isWritten || hasPointers ? Pointers : Constants;
  add(section.getName(), segment, SHT_PROGBITS, alignment, size).blocks = std::move(blocks);
  return Error::success();
}

/// Fills `imported`, `exported` and `names`.
void ElfImage::collectSymbols() {
  for (Symbol *symbol : graph.external_symbols())
    imported.push_back(symbol);
  for (Symbol *symbol : graph.defined_symbols())
    if (symbol->hasName() && symbol->getScope() == Scope::Default)
      exported.push_back(symbol);
  for (auto *symbols : {&imported, &exported})
    llvm::sort(*symbols, [](Symbol *a, Symbol *b) { return *a->getName() < *b->getName(); });
  names.add(soname);
  for (auto *symbols : {&imported, &exported})
    for (Symbol *symbol : *symbols)
      names.add(*symbol->getName());
}

Error ElfImage::place() {
  collectSymbols();
  uint64_t symbols = 1 + imported.size() + exported.size();
  add(".dynsym", Constants, SHT_DYNSYM, 8, symbols * sizeof(ElfSymbol), sizeof(ElfSymbol));
  add(".hash", Constants, SHT_HASH, 8, elfHashSize(symbols), 4);
  add(".dynstr", Constants, SHT_STRTAB, 1, names.bytes().size());
  add(".rela.dyn", Constants, SHT_RELA, 8, 0, sizeof(ElfRelocation));
  SmallVector<Section *> sections;
  for (Section &section : graph.sections())
    if (!section.empty() && section.getMemLifetime() != orc::MemLifetime::NoAlloc)
      sections.push_back(&section);
  llvm::sort(sections, [](Section *a, Section *b) { return a->getOrdinal() < b->getOrdinal(); });
  for (Section *section : sections)
    if (Error error = addSection(*section))
      return error;
  find(".rela.dyn").section.sh_size = (countPointers(true) + countPointers(false)) * sizeof(ElfRelocation);
  Part &dynamic = add(".dynamic", Pointers, SHT_DYNAMIC, 8, 0, sizeof(ElfDynamic));
  dynamic.section.sh_size = makeDynamic().size();
  std::vector<std::unique_ptr<Part>> ordered;
  for (unsigned segment = 0; segment < segmentCount; ++segment)
    for (std::unique_ptr<Part> &part : parts)
      if (part && part->segment == segment)
        ordered.push_back(std::move(part));
  parts = std::move(ordered);
  placeParts();
  return Error::success();
}

/// Assigns offsets and addresses to the parts. Offsets in the file continue from segment to segment. The first address
/// of a segment lies in a page after the previous segment, and is equal to the segment's offset modulo the page size.
void ElfImage::placeParts() {
  // The parts follow the headers. In addition to the loaded segments, the table of segments has 3 entries
  // (makeHeaders).
  uint64_t page = elfMachineOf(graph).page, address = sizeof(ElfHeader) + (segmentCount + 3) * sizeof(ElfSegment);
  end = address;
  Segment segment = Constants;
  for (auto [index, part] : llvm::enumerate(parts)) {
    uint64_t alignment = part->section.sh_addralign;
    if (part->segment != segment) {
      segment = part->segment;
      alignment = std::max<uint64_t>(alignment, 64);
      end = alignTo(end, alignment);
      address = alignTo(address, page) + end % page;
    }
    uint64_t aligned = alignTo(address, alignment);
    end += aligned - address;
    part->section.sh_offset = end;
    part->section.sh_addr = aligned;
    for (Block *block : part->blocks) {
      aligned = alignTo(aligned, block->getAlignment());
      block->setAddress(orc::ExecutorAddr(aligned));
      aligned += block->getSize();
      indices[&block->getSection()] = uint16_t(index + 1);
    }
    address = part->section.sh_addr + part->section.sh_size;
    end += part->section.sh_size;
  }
}

/// Returns the header of the file and the table of segments.
std::vector<char> ElfImage::makeHeaders() {
  ElfHeader header = {};
  std::memcpy(header.e_ident, ElfMagic, 4);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = elfMachineOf(graph).number;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof(ElfHeader);
  header.e_phoff = sizeof(ElfHeader);
  header.e_phentsize = sizeof(ElfSegment);
  header.e_phnum = segmentCount + 3; // the segments, PT_GNU_RELRO, PT_DYNAMIC and PT_GNU_STACK
  header.e_shoff = alignTo(end, 8);
  header.e_shentsize = sizeof(ElfSection);
  header.e_shnum = uint16_t(parts.size() + 1);
  header.e_shstrndx = uint16_t(parts.size());

  std::vector<ElfSegment> segments(header.e_phnum);
  auto set = [](ElfSegment &segment, uint32_t type, uint32_t access, uint64_t offset, uint64_t address, uint64_t size,
                uint64_t alignment) {
    segment.p_type = type;
    segment.p_flags = access;
    segment.p_offset = offset;
    segment.p_vaddr = address;
    segment.p_paddr = address;
    segment.p_filesz = size;
    segment.p_memsz = size;
    segment.p_align = alignment;
  };
  uint64_t page = elfMachineOf(graph).page;
  const uint32_t access[segmentCount] = {PF_R, PF_R | PF_X, PF_R | PF_W, PF_R | PF_W};
  for (const std::unique_ptr<Part> &part : parts) {
    if (part->segment == NotLoaded)
      continue;
    ElfSegment &segment = segments[part->segment];
    uint64_t begin = part->section.sh_addr, end = begin + part->section.sh_size;
    uint64_t offset = part->section.sh_offset;
    if (segment.p_type != PT_NULL) // the part extends the segment
      begin = segment.p_vaddr, offset = segment.p_offset;
    else if (part->segment == Constants) // the segment begins with the headers
      begin = offset = 0;
    set(segment, PT_LOAD, access[part->segment], offset, begin, end - begin, page);
  }
  // The loader can make only whole pages read-only, so extend the segment of pointers to a whole page.
  ElfSegment &pointers = segments[Pointers];
  pointers.p_memsz = alignTo(pointers.p_vaddr + pointers.p_memsz, page) - pointers.p_vaddr;
  ElfSegment &readOnly = segments[segmentCount];
  set(readOnly, PT_GNU_RELRO, PF_R, pointers.p_offset, pointers.p_vaddr, pointers.p_filesz, 1);
  readOnly.p_memsz = pointers.p_memsz;
  const ElfSection &dynamic = find(".dynamic").section;
  set(segments[segmentCount + 1], PT_DYNAMIC, PF_R | PF_W, dynamic.sh_offset, dynamic.sh_addr, dynamic.sh_size, 8);
  set(segments[segmentCount + 2], PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 16);

  llvm::erase_if(segments, [](const ElfSegment &segment) { return segment.p_type == PT_NULL; });
  header.e_phnum = uint16_t(segments.size());
  std::vector<char> bytes = elfBytes(ArrayRef(header));
  llvm::append_range(bytes, elfBytes(ArrayRef(segments)));
  return bytes;
}

void ElfImage::write(function_ref<void(ArrayRef<char>)> piece) {
  std::vector<ElfSymbol> symbols(1);
  std::vector<StringRef> symbolNames;
  for (auto *some : {&imported, &exported})
    for (Symbol *symbol : *some) {
      symbols.push_back(describe(*symbol, STB_GLOBAL));
      symbols.back().st_name = names.add(*symbol->getName());
      symbolNames.push_back(*symbol->getName());
    }
  find(".dynsym").table = elfBytes(ArrayRef(symbols));
  find(".hash").table = makeElfHash(symbolNames);
  find(".dynstr").table = names.bytes();
  find(".rela.dyn").table = makeRelocations();
  find(".dynamic").table = makeDynamic();
  addSymbolTable();
  linkTables();

  uint64_t written = 0;
  // Writes bytes at the current offset.
  auto put = [&](ArrayRef<char> bytes) {
    piece(bytes);
    written += bytes.size();
  };
  // Writes zeros up to the offset.
  auto fill = [&](uint64_t offset) {
    std::vector<char> zeros(offset - written);
    put(zeros);
  };
  put(makeHeaders());
  for (const std::unique_ptr<Part> &part : parts) {
    fill(part->section.sh_offset);
    put(part->table);
    for (Block *block : part->blocks) {
      fill(alignTo(written, block->getAlignment()));
      if (block->isZeroFill())
        fill(written + block->getSize());
      else
        put(block->getContent());
    }
  }
  fill(alignTo(end, 8));
  put(elfBytes(ArrayRef({ElfSection{}})));
  for (const std::unique_ptr<Part> &part : parts)
    put(elfBytes(ArrayRef(part->section)));
}

/// Sets, for each table, the number of the section that contains its names or symbols.
void ElfImage::linkTables() {
  auto number = [&](StringRef name) {
    return uint32_t(llvm::find_if(parts, [&](const auto &part) { return part->name == name; }) - parts.begin() + 1);
  };
  const std::pair<StringRef, StringRef> links[] = {{".dynsym", ".dynstr"},
                                                   {".hash", ".dynsym"},
                                                   {".rela.dyn", ".dynsym"},
                                                   {".dynamic", ".dynstr"},
                                                   {".symtab", ".strtab"}};
  for (auto [table, other] : links)
    find(table).section.sh_link = number(other);
  find(".dynsym").section.sh_info = 1; // the first symbol that is not local
}
