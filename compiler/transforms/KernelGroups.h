//===- KernelGroups.h - which operations share a kernel ---------*- C++ -*-===//

#ifndef HEDDLE_TRANSFORMS_KERNELGROUPS_H
#define HEDDLE_TRANSFORMS_KERNELGROUPS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

namespace heddle {

/// How an operation of @main takes part in kernels.
enum class KernelRole {
  Stay,        // heddle.weight and the terminator: not part of any kernel
  Leaf,        // constants, empty tensors, scalars: cloned into each kernel that uses them
  View,        // a reshape: stays in @main as a view
  Slice,       // an extracted slice, or heddle.dequantize: cloned into each kernel that reads it
  Elementwise, // shares a kernel with its neighbours
  Epilogue,    // rows that are not needed: goes into the kernel of the layer before it
  Root         // everything else: a kernel of its own
};

KernelRole getKernelRole(mlir::Operation *op);

/// Operations of one kernel, in the order of their block.
struct KernelGroup {
  llvm::SmallVector<mlir::Operation *> ops;
};

/// The group of `op`, if any, and the operations that belong to it.
class KernelGroups {
public:
  explicit KernelGroups(mlir::Block &block);

  llvm::ArrayRef<KernelGroup> getGroups() const { return groups; }
  /// Index of the group that computes `op`; none for what is cloned or stays.
  std::optional<unsigned> lookup(mlir::Operation *op) const;

private:
  void addElementwise(mlir::Operation *op);
  void addEpilogue(mlir::Operation *op);
  bool dependsOn(unsigned group, unsigned on) const;
  llvm::SetVector<unsigned> getProducers(mlir::Operation *op) const;
  /// True if no path leads from one group to the other through a third.
  bool canMerge(unsigned a, unsigned b) const;

  llvm::SmallVector<KernelGroup> groups;
  llvm::DenseMap<mlir::Operation *, unsigned> groupOf;
};

/// True for what is cloned where it is used rather than passed: a leaf, or a
/// view or slice of one.
bool isClonedIntoKernels(mlir::Value value);

/// What `value` is a view or slice of, through any number of steps.
mlir::Value getViewSource(mlir::Value value);

/// True if `value` is reached through a slice, so that the way from the whole
/// tensor to it must be cloned into the kernel that reads it.
bool isSliced(mlir::Value value);

/// Values that `op` or its regions use from outside of it.
llvm::SetVector<mlir::Value> getInputs(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_KERNELGROUPS_H
