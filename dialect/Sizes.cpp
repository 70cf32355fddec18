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
  if (!module)
    return;
  ranges = notes::sizes.get(module).value_or(SizeRanges());
  sums = notes::sums.get(module).value_or(SizeSums());
}

std::optional<int64_t> Sizes::find(StringRef name) const {
  auto isIt = [&](const auto &size) { return size.name == name; };
  const auto *found = llvm::find_if(ranges, isIt);
  if (found != ranges.end())
    return found - ranges.begin();
  const auto *sum = llvm::find_if(sums, isIt);
  return sum == sums.end() ? std::nullopt : std::optional<int64_t>(int64_t(ranges.size()) + (sum - sums.begin()));
}

ArrayRef<StringRef> Sizes::termsOf(StringRef name) const {
  size_t number = size_t(*find(name));
  return number < ranges.size() ? ArrayRef(ranges[number].name) : ArrayRef(sums[number - ranges.size()].terms);
}

Extent Sizes::of(int64_t number) const {
  Extent extent;
  extent.number = extent.factor = number;
  auto divide = [&](StringRef name, int64_t stands) {
    for (; extent.factor && extent.factor % stands == 0; extent.factor /= stands)
      extent.sizes.push_back(name);
  };
  for (const SizeRange &range : ranges)
    divide(range.name, range.stands);
  for (const SizeSum &sum : sums)
    divide(sum.name, sum.stands);
  if (extent.isFixed()) {
    extent.low = extent.high = number;
    return extent;
  }
  auto ends = [&](auto end) { return at(extent, llvm::map_to_vector(ranges, end)); };
  extent.low = ends([](const SizeRange &range) { return range.low; });
  extent.high = ends([](const SizeRange &range) { return range.high; });
  return extent;
}

int64_t Sizes::at(const SizeSum &sum, ArrayRef<int64_t> values) const {
  int64_t total = sum.plus;
  for (StringRef term : sum.terms)
    if (llvm::AddOverflow(total, at(term, values), total))
      return INT64_MAX;
  return total;
}

int64_t Sizes::at(StringRef name, ArrayRef<int64_t> values) const {
  size_t number = size_t(*find(name));
  return number < ranges.size() ? values[number] : at(sums[number - ranges.size()], values);
}

int64_t Sizes::at(const Extent &extent, ArrayRef<int64_t> values) const {
  int64_t product = 1;
  for (StringRef name : extent.sizes)
    if (llvm::MulOverflow(product, at(name, values), product))
      product = INT64_MAX;
  return llvm::MulOverflow(product, extent.factor, product) ? INT64_MAX : product;
}
