//===- OpenSizes.cpp - sizes in the place of what stood for them ----------===//
//
// Up to here a number stood for each size that lies in a range (Sizes.h). What code
// computes with it is now a constant that is a multiple of that number: of a stride, a
// trip count, a number of bytes. It becomes the same multiple of the size in the arena.
//
//===----------------------------------------------------------------------===//

#include "heddle/ArenaLayout.h"
#include "heddle/Passes.h"

#include "Notes.h"
#include "Sizes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_OPENSIZES
#include "heddle/Passes.h.inc"
} // namespace heddle

using namespace heddle;

namespace {

/// The sizes in one function.
class FunctionOpener {
public:
  FunctionOpener(LLVM::LLVMFuncOp func, const Sizes &sizes)
      : func(func), sizes(sizes), b(func.getContext()) {
    b.setInsertionPointToStart(&func.getBody().front());
  }
  LogicalResult run();

private:
  Value sizeOf(StringRef name);
  Value valueOf(const Extent &extent);
  LogicalResult openConstant(LLVM::ConstantOp op);
  void openAddress(LLVM::GEPOp op);

  LLVM::LLVMFuncOp func;
  const Sizes &sizes;
  OpBuilder b; // at the function's start
  llvm::StringMap<Value> loaded;
  llvm::DenseMap<int64_t, Value> values;
  SmallVector<Operation *> replaced;
};

} // namespace

Value FunctionOpener::sizeOf(StringRef name) {
  Value &value = loaded[name];
  if (value)
    return value;
  const SizeRange *range = llvm::find_if(sizes.all(), [&](const SizeRange &size) { return size.name == name; });
  int64_t offset = arenaSizeOffset(range - sizes.all().begin());
  BlockArgument arena;
  for (BlockArgument arg : func.getArguments())
    if (func.getArgAttr(arg.getArgNumber(), notes::arena.name))
      arena = arg;
  if (!arena)
    return {};
  Location loc = func.getLoc();
  Value place = LLVM::GEPOp::create(b, loc, arena.getType(), b.getI8Type(), arena,
                                    ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  auto load = LLVM::LoadOp::create(b, loc, b.getI64Type(), place, /*alignment=*/8);
  load.setInvariant(true);
  return value = load;
}

Value FunctionOpener::valueOf(const Extent &extent) {
  Value &value = values[extent.number];
  if (value)
    return value;
  Value product;
  for (StringRef name : extent.sizes) {
    Value size = sizeOf(name);
    if (!size)
      return {};
    product = product ? Value(LLVM::MulOp::create(b, func.getLoc(), product, size)) : size;
  }
  if (extent.factor == 1)
    return value = product;
  Value factor = LLVM::ConstantOp::create(b, func.getLoc(), b.getI64Type(), extent.factor);
  return value = LLVM::MulOp::create(b, func.getLoc(), product, factor);
}

/// An address at constant distances gets them as values.
void FunctionOpener::openAddress(LLVM::GEPOp op) {
  bool stands = false;
  SmallVector<LLVM::GEPArg> indices;
  OpBuilder at(op);
  for (auto index : op.getIndices()) {
    auto constant = dyn_cast<IntegerAttr>(index);
    if (!constant) {
      indices.push_back(cast<Value>(index));
      continue;
    }
    bool isSize = !sizes.of(constant.getInt()).isFixed();
    stands |= isSize;
    if (isSize)
      indices.push_back(LLVM::ConstantOp::create(at, op.getLoc(), at.getI64Type(), constant.getInt()).getResult());
    else
      indices.push_back(int32_t(constant.getInt()));
  }
  if (!stands)
    return;
  Value opened = LLVM::GEPOp::create(at, op.getLoc(), op.getType(), op.getElemType(), op.getBase(), indices,
                                     op.getNoWrapFlags());
  op.replaceAllUsesWith(opened);
  replaced.push_back(op);
}

LogicalResult FunctionOpener::openConstant(LLVM::ConstantOp op) {
  auto integer = dyn_cast<IntegerAttr>(op.getValue());
  if (!integer || integer.getValue().getSignificantBits() > 64)
    return success();
  Extent extent = sizes.of(integer.getValue().getSExtValue());
  if (extent.isFixed())
    return success();
  if (!op.getType().isInteger(64))
    return op.emitError("a size that lies in a range is needed as ") << op.getType();
  Value value = valueOf(extent);
  if (!value)
    return op.emitError("its function has no arena, where sizes are");
  op.replaceAllUsesWith(value);
  replaced.push_back(op);
  return success();
}

LogicalResult FunctionOpener::run() {
  func.walk([&](LLVM::GEPOp op) { openAddress(op); });
  WalkResult result = func.walk([&](LLVM::ConstantOp op) { return WalkResult(openConstant(op)); });
  for (Operation *op : replaced) // not before: one may be where `b` stands
    op->erase();
  return failure(result.wasInterrupted());
}

namespace {
struct OpenSizes : heddle::impl::OpenSizesBase<OpenSizes> {
  void runOnOperation() override {
    Sizes sizes(getOperation());
    if (sizes.empty())
      return;
    for (auto func : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (!func.isExternal() && failed(FunctionOpener(func, sizes).run()))
        return signalPassFailure();
  }
};
} // namespace
