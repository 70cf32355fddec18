//===- SliceSubsets.cpp - comparison of slices of tensors -----------------===//
//
// This file replaces upstream's implementation of SubsetOpInterface for slices
// of tensors, whose comparison solves a system of constraints for every pair
// of offsets, sizes and strides.
//
//===----------------------------------------------------------------------===//

#include "heddle/Accesses.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SubsetOpInterface.h"

using namespace mlir;

/// Returns whether two offsets, sizes or strides are known to be equal.
static bool areEqual(OpFoldResult left, OpFoldResult right) {
  if (isEqualConstantIntOrValue(left, right))
    return true;
  if (getConstantIntValue(left) && getConstantIntValue(right))
    return false;
  FailureOr<bool> equal = ValueBoundsConstraintSet::areEqual(left, right);
  return succeeded(equal) && *equal;
}

static bool areEqual(ArrayRef<OpFoldResult> left, ArrayRef<OpFoldResult> right) {
  return llvm::all_of_zip(left, right, [](OpFoldResult a, OpFoldResult b) { return areEqual(a, b); });
}

namespace {
/// Compares slices for bufferization, which checks for each slice that is written whether it equals a slice that was
/// read before. Most offsets, sizes and strides of two slices are the same value or are constants, so they are compared
/// directly, and only the others by their bounds.
template <typename SliceOp>
struct SliceModel : SubsetOpInterface::ExternalModel<SliceModel<SliceOp>, SliceOp> {
  FailureOr<HyperrectangularSlice> getAccessedHyperrectangularSlice(Operation *op) const {
    return HyperrectangularSlice(cast<OffsetSizeAndStrideOpInterface>(op));
  }

  bool operatesOnEquivalentSubset(Operation *op, SubsetOpInterface candidate,
                                  function_ref<bool(Value, Value)> areEquivalent) const {
    FailureOr<HyperrectangularSlice> slice = getAccessedHyperrectangularSlice(op);
    FailureOr<HyperrectangularSlice> other = candidate.getAccessedHyperrectangularSlice();
    return succeeded(other) &&
           areEquivalent(cast<SubsetOpInterface>(op).getTensorContainer(), candidate.getTensorContainer()) &&
           areEqual(slice->getMixedOffsets(), other->getMixedOffsets()) &&
           areEqual(slice->getMixedSizes(), other->getMixedSizes()) &&
           areEqual(slice->getMixedStrides(), other->getMixedStrides());
  }
};
} // namespace

void heddle::registerSliceSubsets(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::ExtractSliceOp::attachInterface<SliceModel<tensor::ExtractSliceOp>>(*context);
    tensor::InsertSliceOp::attachInterface<SliceModel<tensor::InsertSliceOp>>(*context);
    tensor::ParallelInsertSliceOp::attachInterface<SliceModel<tensor::ParallelInsertSliceOp>>(*context);
  });
}
