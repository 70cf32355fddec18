//===- Checkpoint.h - the weights of a model directory ----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_CHECKPOINT_H
#define HEDDLE_IMPORT_HUGGINGFACE_CHECKPOINT_H

#include "../module/MainBuilder.h"
#include "Quantization.h"

#include "heddle/WeightStore.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// Returns the path of file `name` in a directory.
std::string joinPath(llvm::StringRef directory, llvm::StringRef name);

/// The tensors of model.safetensors, or of the shards that model.safetensors.index.json lists.
class Checkpoint {
public:
  /// Reads the tensors of a model directory. Emits errors.
  static mlir::FailureOr<Checkpoint> read(mlir::MLIRContext &context, llvm::StringRef directory);

  /// Adds the tensors of another file. Does nothing if the same file was already added with the same prefix.
  mlir::LogicalResult add(mlir::MLIRContext &context, const WeightFile &file);

  /// Returns the tensor with this full name, or null if there is none.
  const StoredTensor *find(llvm::StringRef name) const { return store.find(name); }

  /// The prefix that `weight` adds to the names that it looks up.
  std::string prefix;

  /// The shape in which layers use a weight, and how the file stores it.
  struct Layout {
    // The shape in which layers use the stored tensor, before `part` selects a part of it.
    llvm::SmallVector<int64_t> shape;
    /// Whether the weight of a linear layer is stored as [out, in]. Layers use it as [in, out].
    bool transposed = false;
    /// The weight is a part of the stored tensor: the `size` elements of dimension `dim` from `begin` on. If `groups`
    /// is more than 1, the dimension consists of this number of equal groups, and the part consists of `size` elements
    /// of each group, from element `begin` of the group on.
    struct Part {
      int64_t dim, begin, size, groups = 1;
    };
    std::optional<Part> part = std::nullopt;
  };

  /// Creates a `heddle.weight` of f32 from the first of `names` that the checkpoint contains. It is an error if the
  /// checkpoint contains none of the names, if the tensor does not have the shape that `layout` implies, if its type is
  /// not f32, f16 or bf16, or if the checkpoint contains different tensors under several of the names. Only the first
  /// error is reported; afterwards, failed() returns true.
  mlir::Value weight(mlir::ImplicitLocOpBuilder &builder, llvm::ArrayRef<std::string> names, const Layout &layout);

  /// Returns whether an error was reported.
  bool failed() const { return bad; }
  /// Records that an error was reported.
  void fail() { bad = true; }

  /// The format of those weights of linear layers that are stored as integers; nothing if all weights are floats.
  std::optional<Quantization> quantization;

  mlir::Location loc; // the directory
  WeightStore store;
  std::vector<WeightFile> files; // their paths begin with the directory as the user gave it

private:
  Checkpoint(mlir::Location loc) : loc(loc) {}

  /// Returns the first of `names` that the checkpoint contains and sets `found` to its full name. Returns null after an
  /// error. `shape` is the expected shape.
  const StoredTensor *check(mlir::Location loc, llvm::ArrayRef<std::string> names,
                            llvm::ArrayRef<int64_t> shape, std::string &found);

  bool bad = false; // the result of failed()
};

/// Appends to `steps` the steps that extract `part` from a tensor of shape `shape`, and sets `shape` to the shape of
/// the part. Steps are applied to stored tensors when a library is written.
void addPart(llvm::SmallVectorImpl<mlir::Attribute> &steps, llvm::SmallVectorImpl<int64_t> &shape,
             const Checkpoint::Layout::Part &part, mlir::MLIRContext *context);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_CHECKPOINT_H
