//===- BufferOverlaps.cpp - buffers that may share memory -----------------===//

#include "BufferOverlaps.h"

#include "Notes.h"
#include "Sizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace heddle;

namespace {
/// A range of bytes in a buffer, which a launch passes to a kernel.
struct Part {
  Value buffer;       // the whole buffer, such as an argument of a public function or a constant; null: not known
  int64_t begin, end; // the end is INT64_MAX if it is not known
  bool isState;       // whether the buffer is a state: several states may share memory
};
} // namespace

/// Returns the part of a buffer to which `value` refers. `sizes` contains the sizes of the module.
static Part partOf(Value value, const Sizes &sizes) {
  auto type = cast<MemRefType>(value.getType());
  Part part = {value, 0, type.hasStaticShape() ? 1 : INT64_MAX, false};
  if (type.hasStaticShape())
    for (int64_t extent : type.getShape())
      if (llvm::MulOverflow(part.end, sizes.of(extent).high(), part.end))
        part.end = INT64_MAX;
  // An index has at most 8 bytes.
  int64_t bytes = type.getElementType().isIntOrFloat() ? llvm::divideCeil(type.getElementTypeBitWidth(), 8) : 8;
  bool isKnown = part.end != INT64_MAX && !llvm::MulOverflow(part.end, bytes, part.end);
  while (auto view = part.buffer.getDefiningOp<ViewLikeOpInterface>()) {
    auto bytesOfArena = dyn_cast<memref::ViewOp>(*view);
    std::optional<int64_t> shift = bytesOfArena ? getConstantIntValue(bytesOfArena.getByteShift()) : std::nullopt;
    isKnown &= shift || isa<memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp>(*view);
    part.begin += shift.value_or(0);
    part.buffer = view.getViewSource();
  }
  part.end = isKnown ? part.begin + part.end : INT64_MAX;
  part.begin = isKnown ? part.begin : 0;
  auto argument = dyn_cast<BlockArgument>(part.buffer);
  auto func = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  // The result of a select, a branch or a call may be any buffer, and so may a value that a loop carries.
  Operation *source = part.buffer.getDefiningOp();
  bool isAny = !source && !(func && func.isPublic()); // a private function may get the same buffer for two arguments
  if (source)
    isAny = source->getNumRegions() > 0 || llvm::any_of(source->getOperandTypes(), llvm::IsaPred<MemRefType>);
  if (isAny)
    return {Value(), 0, INT64_MAX, false};
  part.isState = func && notes::state.get(func, argument.getArgNumber()).has_value();
  return part;
}

static bool mayShare(const Part &left, const Part &right) {
  if (!left.buffer || !right.buffer)
    return true;
  if (left.buffer != right.buffer)
    return left.isState && right.isState;
  return left.begin < right.end && right.begin < left.end;
}

BufferOverlaps::BufferOverlaps(gpu::GPUFuncOp kernel) : kernel(kernel) {
  auto module = kernel->getParentOfType<ModuleOp>();
  Sizes sizes(module);
  module.walk([&](gpu::LaunchFuncOp launch) {
    if (launch.getKernelName() != kernel.getName())
      return;
    SmallVector<std::pair<unsigned, Part>> parts;
    for (auto [number, operand] : llvm::enumerate(launch.getKernelOperands()))
      if (isa<MemRefType>(operand.getType()))
        parts.push_back({unsigned(number), partOf(operand, sizes)});
    for (auto [i, left] : llvm::enumerate(parts))
      for (auto &[number, right] : ArrayRef(parts).drop_front(i + 1))
        if (mayShare(left.second, right))
          pairs.insert({left.first, number});
  });
}

Value heddle::findViewed(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

/// Returns the argument of the kernel of which a value is a view; null if there is none.
static BlockArgument argumentOf(Value value) {
  return value ? dyn_cast<BlockArgument>(findViewed(value)) : BlockArgument();
}

bool BufferOverlaps::mayOverlap(Value left, Value right) const {
  BlockArgument first = argumentOf(left), second = argumentOf(right);
  auto isOfKernel = [&](BlockArgument argument) { return argument && argument.getOwner()->getParentOp() == kernel; };
  if (first == second || !isOfKernel(first) || !isOfKernel(second))
    return true;
  auto [smaller, larger] = std::minmax(first.getArgNumber(), second.getArgNumber());
  return pairs.contains({smaller, larger});
}
