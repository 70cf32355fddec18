//===- KernelGroups.h - operations that share a kernel ----------*- C++ -*-===//

#ifndef HEDDLE_TRANSFORMS_KERNELGROUPS_H
#define HEDDLE_TRANSFORMS_KERNELGROUPS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

namespace heddle {

/// The role of an operation of @main with respect to kernels.
enum class KernelRole {
  InMain,      // heddle.weight and the terminator: not part of any kernel
  Leaf,        // a constant, an empty tensor, a fill of one, a scalar operation: cloned into each kernel that uses it
  View,        // a reshape: stays in @main as a view
  Slice,       // an extracted slice, or heddle.dequantize: cloned into each kernel that reads it
  Elementwise, // shares a kernel with other elementwise operations
  Epilogue,    // a row select (sets inactive rows to 0): part of the kernel of the layer that it reads
  Root         // any other operation: computed by a kernel of its own; successive insertions into a tensor share one
};

KernelRole getKernelRole(mlir::Operation *op);

/// The operations of one kernel, in the order of their block.
struct KernelGroup {
  llvm::SmallVector<mlir::Operation *> ops;
};

/// Partitions the operations of a block into groups, one for each kernel.
class KernelGroups {
public:
  explicit KernelGroups(mlir::Block &block);

  llvm::ArrayRef<KernelGroup> getGroups() const { return groups; }
  /// Returns the index of the group that computes `op`; nullopt if the operation is cloned or stays in @main.
  std::optional<unsigned> lookup(mlir::Operation *op) const;

private:
  /// Adds `op` to the groups of its elementwise producers if possible, else to a group of its own.
  void addElementwise(mlir::Operation *op);
  /// Adds `op` to a group of its own, or to the group of the insertion (tensor.insert_slice) whose result it changes.
  void addRoot(mlir::Operation *op);
  /// Adds the row select `op` to the group of its layer if possible.
  void addEpilogue(mlir::Operation *op);
  /// Returns whether `group` reads from the group `on`, directly or through other groups.
  bool dependsOn(unsigned group, unsigned on) const;
  /// Returns the groups that `op` reads from, directly or through views, slices and cloned operations.
  llvm::SetVector<unsigned> getProducers(mlir::Operation *op) const;
  /// Returns whether no path of uses leads from one group to the other through a third group.
  bool canMerge(unsigned a, unsigned b) const;

  llvm::SmallVector<KernelGroup> groups;
  llvm::DenseMap<mlir::Operation *, unsigned> groupOf; // the index in `groups` of each operation that is in a group
};

/// If an insertion (tensor.insert_slice) changes a tensor that other insertions have computed from an empty tensor, and
/// if one of their results has several uses, gives this insertion copies of the other insertions. A kernel that copied
/// this tensor instead would read elements that are not defined yet.
void separateInsertions(mlir::Block &block);

/// Returns whether the value is cloned where it is used instead of being passed: it is a leaf, or a view or slice of a
/// leaf.
bool isClonedIntoKernels(mlir::Value value);

/// Returns the value that `value` is a view or slice of, through any number of views and slices.
mlir::Value getViewSource(mlir::Value value);

/// Returns whether `value` is a slice, or a view of a slice. The operations from the whole tensor to `value` must then
/// be cloned into the kernel that reads it.
bool isSliced(mlir::Value value);

/// Returns the values that `op` or its regions use and that are defined outside of `op`.
llvm::SetVector<mlir::Value> getInputs(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_KERNELGROUPS_H
