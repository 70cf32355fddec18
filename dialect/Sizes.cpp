//===- Sizes.cpp - sizes that each call brings ----------------------------===//

#include "Sizes.h"
#include "Heddle.h"
#include "Notes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

OpFoldResult Extent::emit(OpBuilder &b, Location loc) const {
  if (isFixed())
    return b.getIndexAttr(number);
  Value product;
  for (StringRef name : sizes) {
    Value size = SizeOp::create(b, loc, name);
    product = product ? Value(arith::MulIOp::create(b, loc, product, size)) : size;
  }
  if (factor == 1)
    return product;
  Value constant = arith::ConstantIndexOp::create(b, loc, factor);
  return Value(arith::MulIOp::create(b, loc, product, constant));
}

Sizes::Sizes(Operation *op) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  if (module)
    ranges = notes::sizes.get(module).value_or(SizeRanges());
}

std::optional<int64_t> Sizes::find(StringRef name) const {
  const auto *found = llvm::find_if(ranges, [&](const SizeRange &range) { return range.name == name; });
  return found == ranges.end() ? std::nullopt : std::optional<int64_t>(found - ranges.begin());
}

Extent Sizes::of(int64_t number) const {
  Extent extent;
  extent.number = extent.factor = number;
  for (const SizeRange &range : ranges)
    while (extent.factor && extent.factor % range.stands == 0) {
      extent.factor /= range.stands;
      extent.sizes.push_back(range.name);
      extent.low = llvm::MulOverflow(extent.low, range.low, extent.low) ? INT64_MAX : extent.low;
      extent.high = llvm::MulOverflow(extent.high, range.high, extent.high) ? INT64_MAX : extent.high;
    }
  if (llvm::MulOverflow(extent.low, extent.factor, extent.low))
    extent.low = INT64_MAX;
  if (llvm::MulOverflow(extent.high, extent.factor, extent.high))
    extent.high = INT64_MAX;
  return extent;
}
