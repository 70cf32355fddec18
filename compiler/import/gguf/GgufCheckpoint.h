//===- GgufCheckpoint.h - the weights of a GGUF file ------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_GGUF_GGUFCHECKPOINT_H
#define HEDDLE_IMPORT_GGUF_GGUFCHECKPOINT_H

#include "Architecture.h"
#include "GgufShards.h"

#include "../huggingface/Checkpoint.h"

#include <set>

namespace heddle {

/// The tensors of a GGUF file or of its shards. Families look them up by the names that they have in Hugging Face
/// directories. A tensor in blocks is dequantised by the operation heddle.dequantize.
class GgufCheckpoint : public Checkpoint {
public:
  /// `config` contains the fields of the model, and `prefix` precedes names of the family (FamilyEntry::prefix). Emits
  /// errors.
  static mlir::FailureOr<std::unique_ptr<Checkpoint>> open(const GgufShards &shards,
                                                           const GgufArchitecture &architecture,
                                                           const GgufConfig &config, llvm::StringRef prefix);

  mlir::Value weight(mlir::ImplicitLocOpBuilder &builder, llvm::ArrayRef<std::string> names,
                     const Layout &layout) override;
  /// All linear layers are stored as [out, in], also those that directories contain as [in, out].
  LinearWeight linearWeight(mlir::ImplicitLocOpBuilder &builder, llvm::ArrayRef<std::string> names,
                            const Layout &layout) override;

  /// Emits an error about each tensor that the model did not use: it may change what the model computes.
  void finish() override;

private:
  GgufCheckpoint(const GgufShards &shards, const GgufArchitecture &architecture, const GgufConfig &config,
                 llvm::StringRef prefix);

  /// Returns the name in the file of a tensor that a family calls `name`; an empty string if the architecture has no
  /// such tensor.
  std::string nameInFile(llvm::StringRef name) const;
  /// Returns the stored tensor that a family calls by one of `names`, and sets `name` to its name in the file. Its
  /// shape without the dimension of the parts of a block must be `shape`. Returns null after an error.
  const GgufTensor *find(mlir::Location loc, llvm::ArrayRef<std::string> names, llvm::ArrayRef<int64_t> shape,
                         std::string &name);
  /// Returns the steps that order the rows of a stored tensor as families do. `shape` is its shape.
  llvm::SmallVector<mlir::Attribute> orderRows(llvm::StringRef name, llvm::ArrayRef<int64_t> shape) const;
  /// Dequantises a matrix of a type with a format.
  mlir::Value dequantize(mlir::ImplicitLocOpBuilder &builder, const GgufTensor &tensor, const Layout &layout) const;

  const GgufArchitecture &architecture;
  llvm::StringRef prefix;
  int64_t heads, keyHeads; // the numbers of heads of queries, and of keys and values
  llvm::StringMap<GgufTensor> tensors;
  std::set<std::string> used; // the names of the tensors that were used
};

} // namespace heddle

#endif // HEDDLE_IMPORT_GGUF_GGUFCHECKPOINT_H
