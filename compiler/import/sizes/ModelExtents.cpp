//===- ModelExtents.cpp - extents of a model's tensors --------------------===//

#include "ModelExtents.h"

#include "SizeScope.h"

#include "Notes.h"
#include "Sizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

SmallVector<int64_t> heddle::extentsOf(ModuleOp module) {
  SmallVector<int64_t> extents;
  auto add = [&](TypeRange types) {
    for (Type type : types)
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        llvm::append_range(extents, tensor.getShape());
  };
  module.walk([&](Operation *op) {
    add(op->getResultTypes());
    if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
      int64_t begin = 0;
      for (Type type : concat.getOperandTypes())
        extents.push_back(begin += cast<RankedTensorType>(type).getDimSize(concat.getDim()));
    }
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      llvm::append_range(extents, slice.getStaticOffsets());
    if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
      llvm::append_range(extents, slice.getStaticOffsets());
    if (auto pad = dyn_cast<tensor::PadOp>(op)) {
      llvm::append_range(extents, pad.getStaticLow());
      llvm::append_range(extents, pad.getStaticHigh());
    }
    if (auto function = dyn_cast<func::FuncOp>(op))
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        if (auto range = notes::range.get(function, i))
          extents.append({range->low, range->high});
    for (Region &region : op->getRegions())
      for (Block &block : region)
        add(block.getArgumentTypes());
  });
  return extents;
}

/// Fails if a tensor with this name and type is too large at the largest sizes in the ranges.
static LogicalResult checkLargest(ModuleOp model, const Sizes &sizes, StringRef name, RankedTensorType tensor) {
  constexpr int64_t limit = int64_t(1) << 45;
  int64_t bytes = llvm::divideCeil(tensor.getElementTypeBitWidth(), 8), placeholder = bytes;
  for (int64_t extent : tensor.getShape()) {
    if (llvm::MulOverflow(bytes, sizes.of(extent).high(), bytes) || bytes > limit)
      return model.emitError() << "tensor '" << name << "' has more than " << limit
                               << " bytes at the largest sizes in the ranges";
    if (llvm::MulOverflow(placeholder, extent, placeholder))
      return model.emitError() << "tensor '" << name
                               << "': the placeholder for the product of its sizes does not fit into 64 bits: "
                               << tensor;
  }
  return success();
}

LogicalResult heddle::checkLargest(ModuleOp model) {
  Sizes sizes(model);
  auto main = model.lookupSymbol<func::FuncOp>("main");
  auto check = [&](std::optional<StringRef> name, Type type) {
    return ::checkLargest(model, sizes, name.value_or(""), cast<RankedTensorType>(type));
  };
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes()))
    if (failed(check(notes::name.get(main, i), type)))
      return failure();
  for (auto [i, type] : llvm::enumerate(main.getResultTypes()))
    if (failed(check(notes::name.getOfResult(main, i), type)))
      return failure();
  return success();
}

/// Returns sizes at which a tensor is empty; nothing if it is never empty.
static std::optional<std::string> whereEmpty(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  SizeScope &scope = *SizeScope::current();
  for (int64_t number : tensor ? tensor.getShape() : ArrayRef<int64_t>())
    if (Dim extent = dimOf(number); !extent.isFixed() && extent.low() <= 0)
      return scope.describe(scope.domain().isZero(extent.asExpression()).where);
  return std::nullopt;
}

LogicalResult heddle::checkEmpty(ModuleOp model) {
  if (!SizeScope::current())
    return success();
  WalkResult walked = model.walk([&](Operation *op) -> WalkResult {
    auto loops = dyn_cast<linalg::LinalgOp>(op);
    if ((loops && loops.getNumReductionLoops() == 0) || op->hasTrait<OpTrait::Elementwise>() ||
        isa<tensor::ConcatOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp, tensor::EmptyOp,
            func::FuncOp, func::ReturnOp>(op))
      return WalkResult::advance();
    SmallVector<Type> types(op->getOperandTypes());
    llvm::append_range(types, op->getResultTypes());
    for (Type type : types)
      if (std::optional<std::string> where = whereEmpty(type))
        return op->emitError() << "'" << op->getName() << "' has an empty operand or result at " << *where;
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}
