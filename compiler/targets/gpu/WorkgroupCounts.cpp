//===- WorkgroupCounts.cpp - workgroup counts on a device -----------------===//

#include "WorkgroupCounts.h"

#include "heddle/ArenaLayout.h"

#include "Notes.h"
#include "SizeDomain.h"
#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace heddle;

MemRefType heddle::getCallHeaderType(OpBuilder &b, const Sizes &sizes) {
  return MemRefType::get({callHeaderSize(sizes.count()) / 4}, b.getI32Type());
}

Value heddle::emitCallHeader(OpBuilder &b, Location loc, func::FuncOp main, const Sizes &sizes) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  return memref::ViewOp::create(b, loc, getCallHeaderType(b, sizes), notes::arena.argumentOf(main), zero, ValueRange());
}

void heddle::loadSizes(gpu::GPUFuncOp kernel, const Sizes &sizes) {
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Location loc = kernel.getLoc();
  llvm::StringMap<Value> loaded;
  SmallVector<SizeOp> named;
  kernel.walk([&](SizeOp size) { named.push_back(size); });
  for (SizeOp size : named) {
    Value &value = loaded[size.getName()];
    if (!value) {
      int64_t word = arenaSizeOffset(*sizes.find(size.getName())) / 4; // the lower half of the 64-bit size
      Value at = arith::ConstantIndexOp::create(b, loc, word);
      Value narrow = memref::LoadOp::create(b, loc, kernel.getArgument(0), at);
      value = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), narrow);
    }
    size.replaceAllUsesWith(value);
  }
  for (SizeOp size : named)
    size.erase();
}

std::optional<int64_t> heddle::findMax(Value value, const Sizes &sizes) {
  Operation *op = value.getDefiningOp();
  if (auto size = dyn_cast_or_null<SizeOp>(op))
    return sizes.boundsOf(*sizes.find(size.getName())).high;
  SmallVector<Attribute> operands;
  for (Value operand : op ? op->getOperands() : ValueRange()) {
    std::optional<int64_t> number = findMax(operand, sizes);
    if (!number)
      return std::nullopt;
    operands.push_back(IntegerAttr::get(operand.getType(), *number));
  }
  SmallVector<OpFoldResult> folded;
  if (!op || failed(op->fold(operands, folded)) || folded.size() != 1)
    return std::nullopt;
  auto same = dyn_cast<Value>(folded[0]); // the operand to which the operation folds, as in a multiplication by 1
  return same ? findMax(same, sizes) : getConstantIntValue(folded[0]);
}

Value heddle::emitAgain(OpBuilder &b, Value value, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  for (Value operand : value.getDefiningOp()->getOperands())
    emitAgain(b, operand, mapping);
  b.clone(*value.getDefiningOp(), mapping);
  return mapping.lookup(value);
}

bool WorkgroupCounts::isCounted(LaunchOp launch, const Sizes &sizes) {
  return !getConstantIntValue(launch.getGroups()) && findMax(launch.getGroups(), sizes);
}

WorkgroupCounts::WorkgroupCounts(gpu::GPUModuleOp module, const Sizes &sizes, ArrayRef<LaunchOp> launches) {
  auto main = launches.front()->getParentOfType<func::FuncOp>();
  for (LaunchOp launch : launches)
    if (isCounted(launch, sizes))
      places.insert({launch, places.size()});
  OpBuilder b = OpBuilder::atBlockBegin(&main.front()), inside = OpBuilder::atBlockEnd(module.getBody());
  Location loc = main.getLoc();
  auto type = MemRefType::get({3 * int64_t(places.size())}, b.getI32Type());
  auto kernel = gpu::GPUFuncOp::create(inside, loc, (main.getName() + "_counts").str(),
                                       b.getFunctionType({getCallHeaderType(b, sizes), type}, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr({1, 1, 1}));
  inside.setInsertionPointToStart(&kernel.getBody().front());
  auto constant = [&](OpBuilder &at, int64_t value) -> Value { return arith::ConstantIndexOp::create(at, loc, value); };
  IRMapping mapping;
  for (auto [launch, number] : places) {
    Value groups = emitAgain(inside, cast<LaunchOp>(launch).getGroups(), mapping);
    Value maximum = constant(inside, groupsInOneDimension);
    Value counts[] = {arith::MinUIOp::create(inside, loc, groups, maximum),
                      arith::CeilDivUIOp::create(inside, loc, groups, maximum), constant(inside, 1)};
    for (auto [dim, count] : llvm::enumerate(counts)) {
      Value narrow = arith::IndexCastOp::create(inside, loc, b.getI32Type(), count);
      memref::StoreOp::create(inside, loc, narrow, kernel.getArgument(1), constant(inside, int64_t(3 * number + dim)));
    }
  }
  gpu::ReturnOp::create(inside, loc);
  loadSizes(kernel, sizes);
  buffer = memref::AllocOp::create(b, loc, type);
  Value one = constant(b, 1), callHeader = emitCallHeader(b, loc, main, sizes);
  gpu::LaunchFuncOp::create(b, loc, kernel, {one, one, one}, {one, one, one}, Value(), ValueRange{callHeader, buffer});
}

Value WorkgroupCounts::emit(OpBuilder &b, LaunchOp launch, unsigned dim, int64_t maximum) {
  Location loc = launch.getLoc();
  Value limit = arith::ConstantIndexOp::create(b, loc, maximum);
  auto *place = places.find(launch);
  if (place == places.end())
    return limit;
  Value at = arith::ConstantIndexOp::create(b, loc, int64_t(3 * place->second + dim));
  Value count = memref::LoadOp::create(b, loc, buffer, at);
  return arith::MinUIOp::create(b, loc, arith::IndexCastUIOp::create(b, loc, b.getIndexType(), count), limit);
}
