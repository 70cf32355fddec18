//===- GgufShards.h - a model in one or more GGUF files ---------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_GGUF_GGUFSHARDS_H
#define HEDDLE_IMPORT_GGUF_GGUFSHARDS_H

#include "GgufFile.h"

namespace heddle {

/// The files of a model: one file, or shards that llama.cpp's gguf-split wrote. Only the first shard contains the
/// metadata of the model.
struct GgufShards {
  std::vector<GgufFile> files;
  std::vector<std::string> paths; // the path of each file

  /// Reads `path` and, if it is the first shard, the other shards in the same directory. Emits an error if `path` is
  /// another shard, or if the shards do not belong together.
  static mlir::FailureOr<GgufShards> read(mlir::MLIRContext &context, llvm::StringRef path);

  /// Returns the tensor with this name; null if there is none.
  const GgufTensor *find(llvm::StringRef name) const;

  /// Returns the file with the metadata.
  const GgufFile &first() const { return files.front(); }
};

} // namespace heddle

#endif // HEDDLE_IMPORT_GGUF_GGUFSHARDS_H
