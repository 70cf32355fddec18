//===- Link.cpp - writes objects and static libraries ---------------------===//

#include "heddle/Link.h"

#include "compile/Pieces.h"

#include "heddle/Memory.h"
#include "heddle/OutputFile.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace heddle {

/// Emits an error about the output file `path`.
static LogicalResult fail(MLIRContext &context, StringRef path, const Twine &reason) {
  return emitError(FileLineColLoc::get(&context, path, 0, 0)) << reason;
}

void writePieces(llvm::raw_ostream &os, ArrayRef<char> bytes, const llvm::MemoryBuffer &object) {
  constexpr size_t pieceSize = largePage / 2; // smaller than the stream's buffer, so that no piece bypasses the buffer
  bool isMapped = object.getBufferKind() == llvm::MemoryBuffer::MemoryBuffer_MMap &&
                  bytes.data() >= object.getBufferStart() && bytes.data() < object.getBufferEnd();
  for (; !bytes.empty(); bytes = bytes.drop_front(std::min(bytes.size(), pieceSize))) {
    ArrayRef<char> piece = bytes.take_front(pieceSize);
    os.write(piece.data(), piece.size());
    if (isMapped)
      dropPages(piece);
  }
}

LogicalResult writeObject(MLIRContext &context, StringRef path, const llvm::MemoryBuffer &object) {
  return writeOutputFile(context, path, [&](llvm::raw_ostream &os) {
    writePieces(os, ArrayRef(object.getBufferStart(), object.getBufferSize()), object);
  });
}

LogicalResult writeStaticLibrary(MLIRContext &context, StringRef path, const llvm::MemoryBuffer &object) {
  std::string member = (llvm::sys::path::stem(path) + ".o").str();
  llvm::NewArchiveMember entry(llvm::MemoryBufferRef(object.getBuffer(), member));
  auto archive = llvm::writeArchiveToBuffer(entry, llvm::SymtabWritingMode::NormalSymtab, llvm::object::Archive::K_GNU,
                                            /*Deterministic=*/true, /*Thin=*/false);
  if (!archive)
    return fail(context, path, "cannot make an archive: " + llvm::toString(archive.takeError()));
  return writeOutputFile(context, path, [&](llvm::raw_ostream &os) { os << (*archive)->getBuffer(); });
}

} // namespace heddle
