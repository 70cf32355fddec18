//===- Checkpoint.h - the weights of a model directory ----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_CHECKPOINT_H
#define HEDDLE_IMPORT_HUGGINGFACE_CHECKPOINT_H

#include "../module/MainBuilder.h"
#include "Quantization.h"

#include "heddle/WeightStore.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// The path of file `name` in a directory.
std::string joinPath(llvm::StringRef directory, llvm::StringRef name);

/// The tensors of model.safetensors, or of the shards that model.safetensors.index.json lists.
class Checkpoint {
public:
  static mlir::FailureOr<Checkpoint> read(mlir::MLIRContext &context, llvm::StringRef directory);

  /// Adds the tensors of another file, once for each file and prefix.
  mlir::LogicalResult add(mlir::MLIRContext &context, const WeightFile &file);

  const StoredTensor *find(llvm::StringRef name) const { return store.find(name); }

  /// The prefix of the names that `weight` looks up.
  std::string prefix;

  /// How a weight is used and stored.
  struct Layout {
    llvm::SmallVector<int64_t> shape; // the shape in which it is used, before `part` is taken
    /// A linear layer's weight is stored as [out, in] and used as [in, out].
    bool transposed = false;
    /// The weight is the part of `size` elements from `begin` on of dimension `dim`. With `groups`, the dimension
    /// consists of this number of equal groups, and the part has an equal share of each.
    struct Part {
      int64_t dim, begin, size, groups = 1;
    };
    std::optional<Part> part = std::nullopt;
  };

  /// Creates a `heddle.weight` of f32 from the first of `names` that is stored. It is an error if the tensor is
  /// missing, has another shape or type, or is stored under several of the names with different contents. The first
  /// error is reported; after it `failed` returns true.
  mlir::Value weight(mlir::ImplicitLocOpBuilder &builder, llvm::ArrayRef<std::string> names, const Layout &layout);

  bool failed() const { return bad; }
  /// Records that an error was reported.
  void fail() { bad = true; }

  /// How weights of linear layers may be stored as integers; nothing if all are floats.
  std::optional<Quantization> quantization;

  mlir::Location loc; // the directory
  WeightStore store;
  std::vector<WeightFile> files; // their paths begin with the directory as the user gave it

private:
  Checkpoint(mlir::Location loc) : loc(loc) {}

  const StoredTensor *check(mlir::Location loc, llvm::ArrayRef<std::string> names,
                            llvm::ArrayRef<int64_t> shape, std::string &found);

  bool bad = false;
};

/// Adds the recipe steps that take a part of a tensor with this shape. `shape` becomes the shape of the part.
void addPart(llvm::SmallVectorImpl<mlir::Attribute> &steps, llvm::SmallVectorImpl<int64_t> &shape,
             const Checkpoint::Layout::Part &part, mlir::MLIRContext *context);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_CHECKPOINT_H
