//===- WeightsObject.cpp - objects that contain weights -------------------===//

#include "compile/WeightsObject.h"

#include "llvm/Object/ELFTypes.h"

using namespace mlir;
using namespace heddle;
using llvm::object::ELF64LE;

/// The offset of the weights in the file. The weights follow the header of the file and are aligned to 64 bytes.
static constexpr uint64_t weightsOffset = 64;
static_assert(sizeof(ELF64LE::Ehdr) <= weightsOffset);

WeightsObject::WeightsObject(Location loc, TemporaryFile temporary)
    : loc(loc), temporary(std::move(temporary)),
      file(std::make_unique<llvm::raw_fd_ostream>(this->temporary.descriptor(), /*shouldClose=*/false)) {
  file->write_zeros(weightsOffset);
}

FailureOr<std::unique_ptr<WeightsObject>> WeightsObject::create(Location loc) {
  llvm::Expected<TemporaryFile> temporary = TemporaryFile::create("o");
  if (!temporary)
    return emitError(loc) << "cannot write the weights: " << llvm::toString(temporary.takeError());
  temporary->removeName();
  return std::unique_ptr<WeightsObject>(new WeightsObject(loc, std::move(*temporary)));
}

WeightsObject::~WeightsObject() {
  file->flush();
  file->clear_error(); // the stream's destructor aborts the program if an error was not cleared
}

/// Changes the offsets in the object `code` so that `code` can be appended at offset `shift` to a file that contains
/// the weights at `weightsOffset`. The weights become the contents of the section .heddle_weights.
static void moveSections(MutableArrayRef<char> code, uint64_t shift) {
  auto *header = reinterpret_cast<ELF64LE::Ehdr *>(code.data());
  MutableArrayRef<ELF64LE::Shdr> sections(reinterpret_cast<ELF64LE::Shdr *>(code.data() + header->e_shoff),
                                          header->e_shnum);
  const char *names = code.data() + sections[header->e_shstrndx].sh_offset;
  for (ELF64LE::Shdr &section : sections.drop_front()) {
    bool isWeights = StringRef(names + section.sh_name) == ".heddle_weights";
    section.sh_offset = isWeights ? weightsOffset : section.sh_offset + shift;
    if (isWeights)
      section.sh_type = llvm::ELF::SHT_PROGBITS;
  }
  header->e_shoff = header->e_shoff + shift;
}

FailureOr<std::unique_ptr<llvm::MemoryBuffer>> WeightsObject::finish(SmallVector<char, 0> code) {
  constexpr uint64_t page = 4096; // no section has a larger alignment
  uint64_t end = file->tell(), shift = llvm::alignTo(end, page);
  moveSections(code, shift);
  file->write_zeros(shift - end);
  file->write(code.data(), code.size());
  file->pwrite(code.data(), sizeof(ELF64LE::Ehdr), 0); // the header of the code becomes the header of the file
  file->flush();
  if (file->has_error()) {
    std::string message = file->error().message();
    file->clear_error();
    return emitError(loc) << "cannot write a temporary file for the weights: " << message;
  }
  auto buffer = llvm::MemoryBuffer::getOpenFile(temporary.descriptor(), "weights", file->tell(),
                                                /*RequiresNullTerminator=*/false);
  if (!buffer)
    return emitError(loc) << "cannot read the temporary file for the weights: " << buffer.getError().message();
  return std::move(*buffer);
}
