//===- OutputFile.h - files that are replaced atomically --------*- C++ -*-===//

#ifndef HEDDLE_OUTPUTFILE_H
#define HEDDLE_OUTPUTFILE_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>

namespace heddle {

/// Files are written in chunks of this many bytes, at offsets that are multiples of this number. The page cache then
/// uses large pages for the file, if the file system supports them, and reading mapped weights causes few TLB misses.
/// If a chunk is written directly from memory that is not resident, such as a mapped file, the page cache uses small
/// pages instead. Code that writes from such memory therefore passes less than `largePage` bytes at once: the stream
/// copies them to a buffer, which is resident.
inline constexpr size_t largePage = size_t(2) << 20;

/// Writes `path` through a temporary file in the same folder, which is renamed when all data is written: readers see
/// the old file or the new one, and a failed write leaves the old one. Keeps the permissions of a replaced file and
/// follows symbolic links. Writes directly to a path that is not a regular file (/dev/null, a pipe). The path "-" is
/// the standard output. Errors are emitted as diagnostics.
mlir::LogicalResult writeOutputFile(mlir::MLIRContext &context, llvm::StringRef path,
                                    llvm::function_ref<void(llvm::raw_ostream &)> write);

/// A file that is written incrementally, with the guarantees of writeOutputFile: the old file remains unless `keep` is
/// called.
class OutputFile {
public:
  /// Creates the temporary file for `path`. Emits an error if this fails.
  static mlir::FailureOr<std::unique_ptr<OutputFile>> create(mlir::MLIRContext &context, llvm::StringRef path);
  virtual ~OutputFile() = default;

  virtual llvm::raw_pwrite_stream &stream() = 0;

  /// Whether earlier bytes can still be overwritten; false for the standard output and for a path that is not a regular
  /// file.
  virtual bool canGoBack() const = 0;

  /// Passes all buffered bytes to the operating system; fails if a write failed. If files belong together, flush all of
  /// them before keeping the first.
  virtual mlir::LogicalResult flush() = 0;

  /// Renames the file to its path. Nothing may be written afterwards.
  virtual mlir::LogicalResult keep() = 0;
};

/// Whether two paths lead to the same file, even if the file does not exist yet.
bool isSameFile(llvm::StringRef a, llvm::StringRef b);

/// Checks early, and without changing anything, whether writeOutputFile could write to `path`, so that a long
/// computation does not fail at its end. An empty path means that no file is wanted; it is valid.
mlir::LogicalResult checkOutputFile(mlir::MLIRContext &context, llvm::StringRef path);

/// Checks early, and without changing anything, whether files can be written to the folder `path`, which need not exist
/// yet. An empty path means that no folder is wanted; it is valid.
mlir::LogicalResult checkOutputFolder(mlir::MLIRContext &context, llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_OUTPUTFILE_H
