//===- Checkpoint.h - the weights of a model directory ----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_CHECKPOINT_H
#define HEDDLE_IMPORT_HUGGINGFACE_CHECKPOINT_H

#include "Quantization.h"

#include "heddle/WeightStore.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// NAME in a directory.
std::string joinPath(llvm::StringRef directory, llvm::StringRef name);

/// The tensors of model.safetensors, or of the shards that
/// model.safetensors.index.json lists.
class Checkpoint {
public:
  static mlir::FailureOr<Checkpoint> read(mlir::MLIRContext &context, llvm::StringRef directory);

  /// Adds the tensors of another file.
  mlir::LogicalResult add(mlir::MLIRContext &context, const std::string &file);

  const StoredTensor *find(llvm::StringRef name) const { return store.find(name); }

  /// Names that `weight` is asked for are looked up behind this prefix.
  std::string prefix;

  /// How a weight is used, and stored.
  struct Layout {
    llvm::SmallVector<int64_t> shape; // as it is used, before `part` is taken
    /// A linear layer's weight is stored as [out, in], and used as [in, out].
    bool transposed = false;
    /// Of this dimension, `size` from `begin` on is used; with `groups`, of each of so many equal parts of it.
    struct Part {
      int64_t dim, begin, size, groups = 1;
    };
    std::optional<Part> part = std::nullopt;
  };

  /// A `heddle.weight` of f32, by the first of `names` that is stored. A tensor that is missing, of another shape or
  /// type, or that is another by another of its names is an error, the first is reported, and `failed` true from there on.
  mlir::Value weight(mlir::ImplicitLocOpBuilder &builder, llvm::ArrayRef<std::string> names, const Layout &layout);

  bool failed() const { return bad; }
  /// An error was told.
  void fail() { bad = true; }

  /// How weights of linear layers may be stored besides floats.
  std::optional<Quantization> quantization;

  mlir::Location loc; // the directory
  WeightStore store;
  std::vector<std::string> files; // as given on the command line, with the directory

private:
  Checkpoint(mlir::Location loc) : loc(loc) {}

  const StoredTensor *check(mlir::Location loc, llvm::ArrayRef<std::string> names,
                            llvm::ArrayRef<int64_t> shape, std::string &found);

  bool bad = false;
};

/// Adds the steps that take a part of a tensor of this shape, which becomes the part's.
void addPart(llvm::SmallVectorImpl<mlir::Attribute> &steps, llvm::SmallVectorImpl<int64_t> &shape,
             const Checkpoint::Layout::Part &part, mlir::MLIRContext *context);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_CHECKPOINT_H
