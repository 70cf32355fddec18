//===- DirectoryCheckpoint.h - the weights of a directory -------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_DIRECTORYCHECKPOINT_H
#define HEDDLE_IMPORT_HUGGINGFACE_DIRECTORYCHECKPOINT_H

#include "Checkpoint.h"
#include "Quantization.h"

namespace heddle {

/// Returns the path of file `name` in a directory.
std::string joinPath(llvm::StringRef directory, llvm::StringRef name);

/// The tensors of model.safetensors, or of the shards that model.safetensors.index.json lists.
class DirectoryCheckpoint : public Checkpoint {
public:
  /// Reads the tensors of a model directory. Emits errors.
  static mlir::FailureOr<std::unique_ptr<DirectoryCheckpoint>> read(mlir::MLIRContext &context,
                                                                    llvm::StringRef directory);

  /// Adds the tensors of another file. Does nothing if the same file was already added with the same prefix.
  mlir::LogicalResult add(mlir::MLIRContext &context, const WeightFile &file);

  /// Returns the tensor with this full name, or null if there is none.
  const StoredTensor *find(llvm::StringRef name) const { return store.find(name); }

  /// The prefix that `weight` and `linearWeight` add to the names that they look up. The names of the head's tensors
  /// have no prefix.
  std::string prefix;

  /// Creates a `heddle.weight` of f32. The supported types of tensors are f32, f16 and bf16. In addition to the errors
  /// of Checkpoint::weight, it is an error if the checkpoint contains different tensors under several of the names.
  mlir::Value weight(mlir::ImplicitLocOpBuilder &builder, llvm::ArrayRef<std::string> names,
                     const Layout &layout) override;
  /// A weight that is stored as integers is found only under the first of the names.
  LinearWeight linearWeight(mlir::ImplicitLocOpBuilder &builder, llvm::ArrayRef<std::string> names,
                            const Layout &layout) override;
  void enterHead() override { prefix.clear(); }

  /// The format of those weights of linear layers that are stored as integers; nothing if config.json does not describe
  /// any.
  std::optional<Quantization> quantization;

private:
  using Checkpoint::Checkpoint;

  /// Returns the first of the tensors `names` that exists, and sets `found` to its full name. Returns null after an
  /// error. `shape` is the expected shape. checkOnce() does the same without regard to earlier errors, and does not
  /// call fail().
  const StoredTensor *check(mlir::Location loc, llvm::ArrayRef<std::string> names,
                            llvm::ArrayRef<int64_t> shape, std::string &found);
  const StoredTensor *checkOnce(mlir::Location loc, llvm::ArrayRef<std::string> names, llvm::ArrayRef<int64_t> shape,
                                std::string &found) const;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_DIRECTORYCHECKPOINT_H
