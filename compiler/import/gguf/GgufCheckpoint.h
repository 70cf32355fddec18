//===- GgufCheckpoint.h - the weights of a GGUF file ------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_GGUF_GGUFCHECKPOINT_H
#define HEDDLE_IMPORT_GGUF_GGUFCHECKPOINT_H

#include "Architecture.h"
#include "GgufShards.h"

#include "../huggingface/Checkpoint.h"

#include <set>

namespace heddle {

/// The tensors of a GGUF file or of its shards. Families look them up by the names that they have in Hugging Face
/// directories. The operation heddle.dequantize dequantises tensors of quantised types.
class GgufCheckpoint : public Checkpoint {
public:
  /// `config` contains the fields of the model, and `prefix` precedes names of the family (FamilyEntry::prefix). Emits
  /// errors.
  static mlir::FailureOr<std::unique_ptr<Checkpoint>> open(const GgufShards &shards,
                                                           const GgufArchitecture &architecture,
                                                           const GgufConfig &config, llvm::StringRef prefix);

  mlir::Value weight(mlir::ImplicitLocOpBuilder &builder, llvm::ArrayRef<std::string> names,
                     const Layout &layout) override;
  /// GGUF files store all linear layers as [out, in], also those that Hugging Face directories store as [in, out].
  LinearWeight linearWeight(mlir::ImplicitLocOpBuilder &builder, llvm::ArrayRef<std::string> names,
                            const Layout &layout) override;

  /// Emits an error if the file has a tensor that was not used, because it may change what the model computes.
  void finish() override;

private:
  GgufCheckpoint(const GgufShards &shards, const GgufArchitecture &architecture, const GgufConfig &config,
                 llvm::StringRef prefix);

  /// Returns the name in the file of a tensor that a family calls `name`; an empty string if the architecture has no
  /// such tensor.
  std::string nameInFile(llvm::StringRef name) const;
  /// Returns the first of the tensors `names` (names of the family) that the file contains, and sets `name` to its name
  /// in the file. Emits an error and returns null if there is none, or if the tensor does not have the shape `shape`.
  const GgufTensor *find(mlir::Location loc, llvm::ArrayRef<std::string> names, llvm::ArrayRef<int64_t> shape,
                         std::string &name);
  /// Returns the steps that order the rows of a stored tensor as families do. `shape` is its shape.
  llvm::SmallVector<mlir::Attribute> orderRows(llvm::StringRef name, llvm::ArrayRef<int64_t> shape) const;
  /// Dequantises a matrix whose type is quantised (GgufType::format).
  mlir::Value dequantize(mlir::ImplicitLocOpBuilder &builder, const GgufTensor &tensor, const Layout &layout) const;

  const GgufArchitecture &architecture;
  llvm::StringRef prefix;
  int64_t heads, keyHeads; // the numbers of heads of queries, and of keys and values
  llvm::StringMap<GgufTensor> tensors;
  std::set<std::string> used; // the names of the tensors that were used
};

} // namespace heddle

#endif // HEDDLE_IMPORT_GGUF_GGUFCHECKPOINT_H
