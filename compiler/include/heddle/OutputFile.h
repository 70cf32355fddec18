//===- OutputFile.h - files that appear whole or not at all -----*- C++ -*-===//

#ifndef HEDDLE_OUTPUTFILE_H
#define HEDDLE_OUTPUTFILE_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>

namespace heddle {

/// Files are written in as many bytes at a time, at multiples of it. The page cache then has large pages of them, where the
/// file system has these, and weights that are mapped are read with few TLB misses. What is written from pages that are not
/// in memory yet gets small ones: pieces of less go through the buffer, which is.
inline constexpr size_t largePage = size_t(2) << 20;

/// Writes `path` through a temporary file beside it that is renamed when all of
/// it is on disk: whoever reads sees the old file or the new one, and a failed
/// write leaves the old one. Keeps the permissions of a file it replaces, writes
/// through symbolic links, and straight into what is no regular file (/dev/null, a
/// pipe). The path "-" is the standard output. Errors go to the diagnostics.
mlir::LogicalResult writeOutputFile(mlir::MLIRContext &context, llvm::StringRef path,
                                    llvm::function_ref<void(llvm::raw_ostream &)> write);

/// A file that is written piece by piece, as writeOutputFile writes one: what it replaces stays until `keep`, and for
/// good without that.
class OutputFile {
public:
  static mlir::FailureOr<std::unique_ptr<OutputFile>> create(mlir::MLIRContext &context, llvm::StringRef path);
  virtual ~OutputFile() = default;

  virtual llvm::raw_pwrite_stream &stream() = 0;

  /// Whether what was written can still be changed: not in a pipe.
  virtual bool canGoBack() const = 0;

  /// Whether all that was written is on disk. Of files that belong together none is kept before this is known of each.
  virtual mlir::LogicalResult flush() = 0;

  /// Puts the file where it belongs. Nothing is written from here on.
  virtual mlir::LogicalResult keep() = 0;
};

/// Whether two paths lead to one place, be there a file or not.
bool isSameFile(llvm::StringRef a, llvm::StringRef b);

/// Finds out early what would prevent writeOutputFile, so that no work is in vain: nothing is changed. An empty path,
/// for a file that nobody asked for, is fine.
mlir::LogicalResult checkOutputFile(mlir::MLIRContext &context, llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_OUTPUTFILE_H
