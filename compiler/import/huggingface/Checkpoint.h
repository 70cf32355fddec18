//===- Checkpoint.h - the weights of a model --------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_CHECKPOINT_H
#define HEDDLE_IMPORT_HUGGINGFACE_CHECKPOINT_H

#include "../module/MainBuilder.h"
#include "Heddle.h"

#include "heddle/WeightStore.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// The weight of a linear layer, and the rounding of its input.
struct LinearWeight {
  mlir::Value weight;            // [in, out]
  RowRoundingAttr rounding = {}; // null if the input is not rounded
  /// Row i of the weight is multiplied by column order[i] of the input. If `order` is empty, row i is multiplied by
  /// column i.
  llvm::SmallVector<int64_t> order = {};
};

/// The stored tensors of a model, which its family looks up by the names that they have in Hugging Face directories.
/// Each kind of file has a class that derives from Checkpoint.
class Checkpoint {
public:
  explicit Checkpoint(mlir::Location loc) : loc(loc) {}
  virtual ~Checkpoint() = default;

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

  /// Creates the f32 value of the first of the tensors `names` that the checkpoint contains. It is an error if the
  /// checkpoint contains none of them, or if the tensor does not have the shape that `layout` implies or has a type
  /// that is not supported. Only the first error is reported; afterwards, failed() returns true.
  virtual mlir::Value weight(mlir::ImplicitLocOpBuilder &builder, llvm::ArrayRef<std::string> names,
                             const Layout &layout) = 0;
  /// Creates the weight of a linear layer from the first of the tensors `names` that the checkpoint contains. The
  /// tensors may be stored as integers. Reports errors as weight() does.
  virtual LinearWeight linearWeight(mlir::ImplicitLocOpBuilder &builder, llvm::ArrayRef<std::string> names,
                                    const Layout &layout) = 0;

  /// Announces that the names in later calls are those of tensors of the head.
  virtual void enterHead() {}
  /// Reports errors about the whole checkpoint after all weights were created.
  virtual void finish() {}

  /// For families whose Hugging Face directories contain the scales of norms minus 1: whether this checkpoint contains
  /// the scales themselves.
  bool scalesAreWhole = false;

  /// Returns whether an error was reported.
  bool failed() const { return bad; }
  /// Records that an error was reported.
  void fail() { bad = true; }

  mlir::Location loc; // the directory or the file
  WeightStore store;
  std::vector<WeightFile> files; // their paths begin with the path of the model as the user gave it

protected:
  /// Returns the shape of the stored tensor that `layout` implies.
  static llvm::SmallVector<int64_t> storedShape(const Layout &layout);
  /// Creates the f32 value of the tensor `name`, whose elements are floats: applies `steps`, and then the steps of
  /// `layout`. `tensor` is null after an error.
  static mlir::Value floats(mlir::ImplicitLocOpBuilder &builder, llvm::StringRef name, const StoredTensor *tensor,
                            llvm::SmallVector<mlir::Attribute> steps, const Layout &layout);

private:
  bool bad = false; // the result of failed()
};

/// Appends to `steps` the steps that extract `part` from a tensor of shape `shape`, and sets `shape` to the shape of
/// the part. Steps are applied to stored tensors when a library is written.
void addPart(llvm::SmallVectorImpl<mlir::Attribute> &steps, llvm::SmallVectorImpl<int64_t> &shape,
             const Checkpoint::Layout::Part &part, mlir::MLIRContext *context);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_CHECKPOINT_H
