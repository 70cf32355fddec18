//===- Link.cpp - objects made into libraries -----------------------------===//

#include "heddle/Link.h"

#include "heddle/Memory.h"
#include "heddle/OutputFile.h"
#include "heddle/Program.h"
#include "heddle/TemporaryFile.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace mlir;

namespace heddle {

static LogicalResult fail(MLIRContext &context, StringRef path, const Twine &reason) {
  return emitError(FileLineColLoc::get(&context, path, 0, 0)) << reason;
}

/// Files are written in pieces that are large pages.
static constexpr size_t pieceSize = size_t(16) << 20;

LogicalResult writeObject(MLIRContext &context, StringRef path, const llvm::MemoryBuffer &object) {
  return writeOutputFile(context, path, [&](llvm::raw_ostream &os) {
    // What is mapped from a file is in memory piece by piece.
    bool isMapped = object.getBufferKind() == llvm::MemoryBuffer::MemoryBuffer_MMap;
    for (StringRef rest = object.getBuffer(); !rest.empty(); rest = rest.drop_front(std::min(rest.size(), pieceSize))) {
      StringRef piece = rest.take_front(pieceSize);
      os << piece;
      if (isMapped)
        dropPages(piece);
    }
  });
}

LogicalResult writeStaticLibrary(MLIRContext &context, StringRef path, const llvm::MemoryBuffer &object) {
  std::string member = (llvm::sys::path::stem(path) + ".o").str();
  llvm::NewArchiveMember entry(llvm::MemoryBufferRef(object.getBuffer(), member));
  auto archive = llvm::writeArchiveToBuffer(entry, llvm::SymtabWritingMode::NormalSymtab,
                                            llvm::object::Archive::K_GNU, /*Deterministic=*/true, /*Thin=*/false);
  if (!archive)
    return fail(context, path, "cannot make an archive: " + llvm::toString(archive.takeError()));
  return writeOutputFile(context, path, [&](llvm::raw_ostream &os) { os << (*archive)->getBuffer(); });
}

static std::string findLinker() {
  for (StringRef name : {"ld.lld-22", "ld.lld"})
    if (auto path = llvm::sys::findProgramByName(name))
      return *path;
  // Where Debian's lld-22 puts it when its alternatives are not set up.
  if (auto path = llvm::sys::findProgramByName("ld.lld", {"/usr/lib/llvm-22/bin"}))
    return *path;
  return "";
}

/// Read, not mapped: what is written from memory that is there gets large pages in the page cache where the file system
/// has them, and weights that are mapped in large pages are read with few TLB misses.
static LogicalResult copyFile(MLIRContext &context, StringRef from, StringRef to) {
  auto refuse = [&](llvm::Error error) {
    return fail(context, to, "cannot read what was linked: " + llvm::toString(std::move(error)));
  };
  auto file = llvm::sys::fs::openNativeFileForRead(from);
  if (!file)
    return refuse(file.takeError());
  llvm::scope_exit close([&] { llvm::sys::fs::closeFile(*file); });
  FailureOr<std::unique_ptr<OutputFile>> output = OutputFile::create(context, to);
  if (failed(output))
    return failure();
  std::vector<char> piece(pieceSize);
  for (;;) {
    llvm::Expected<size_t> size = llvm::sys::fs::readNativeFile(*file, piece);
    if (!size)
      return refuse(size.takeError());
    if (*size == 0)
      return (*output)->keep();
    (*output)->stream().write(piece.data(), *size);
  }
}

LogicalResult writeSharedLibrary(MLIRContext &context, StringRef path, const llvm::MemoryBuffer &object) {
  std::string linker = findLinker();
  if (linker.empty())
    return fail(context, path, "cannot link: there is no ld.lld-22 on PATH (Debian's package lld-22); "
                               "an .o or .a needs no linker");
  std::vector<TemporaryFile> files; // the object, the library, messages
  for (StringRef suffix : {"o", "so", "txt"}) {
    llvm::Expected<TemporaryFile> created = TemporaryFile::create(suffix);
    if (!created)
      return fail(context, path, "cannot link: " + llvm::toString(created.takeError()));
    files.push_back(std::move(*created));
  }
  StringRef objectPath = files[0].path(), libraryPath = files[1].path(), messagePath = files[2].path();
  if (failed(writeObject(context, objectPath, object)))
    return failure();
  // The linker maps what it writes, so a full disk would be a signal to it.
  constexpr uint64_t more = 64 << 10; // than the object, and messages
  llvm::ErrorOr<llvm::sys::fs::space_info> space = llvm::sys::fs::disk_space(libraryPath);
  if (space && space->capacity && space->available < object.getBufferSize() + more)
    return fail(context, path, "cannot link: " + llvm::sys::path::parent_path(libraryPath) + ": " +
                                   std::make_error_code(std::errc::no_space_on_device).message());
  std::string soname = llvm::sys::path::filename(path).str();
  StringRef arguments[] = {linker,      "-shared", "-z",         "now",    "-z",  "noexecstack", "--build-id=none",
                           "--soname", soname,    objectPath, "-o", libraryPath};
  std::optional<StringRef> redirects[] = {StringRef(), messagePath, messagePath};
  std::string reason;
  int status = runProgram(linker, arguments, redirects, reason);
  if (status != 0) {
    auto message = llvm::MemoryBuffer::getFile(messagePath);
    StringRef said = message ? (*message)->getBuffer().trim() : "";
    if (reason.empty())
      reason = said.empty() ? "status " + std::to_string(status) : said.str();
    else if (!said.empty()) // what ended it by a signal, or did not let it begin
      reason += (": " + said.split('\n').first).str();
    return fail(context, path, "cannot link: " + linker + ": " + reason);
  }
  return copyFile(context, libraryPath, path);
}

} // namespace heddle
