//===- Sizes.cpp - sizes that each call provides --------------------------===//

#include "Sizes.h"
#include "Notes.h"
#include "SizeDomain.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

Sizes::Sizes(Operation *op) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  if (!module)
    return;
  ranges = notes::sizes.get(module).value_or(SizeRanges());
  if (auto list = module->getAttrOfType<ArrayAttr>(notes::derived.name))
    for (Attribute entry : list)
      if (std::optional<DerivedSizeNote> note = DerivedSizeNote::read(entry))
        others.push_back(*note);
}

StringRef Sizes::nameOf(int64_t number) const {
  size_t i = size_t(number);
  return i < ranges.size() ? ranges[i].name : others[i - ranges.size()].name;
}

std::optional<int64_t> Sizes::find(StringRef name) const {
  for (int64_t number = 0; number < count(); ++number)
    if (nameOf(number) == name)
      return number;
  return std::nullopt;
}

int64_t Sizes::placeholderFor(int64_t number) const {
  size_t i = size_t(number);
  return i < ranges.size() ? ranges[i].placeholder : others[i - ranges.size()].placeholder;
}

SizeBounds Sizes::boundsOf(int64_t number) const {
  size_t i = size_t(number);
  if (i < ranges.size())
    return {ranges[i].low, ranges[i].high};
  return {others[i - ranges.size()].low, others[i - ranges.size()].high};
}

SizeExpression Sizes::expressionOf(int64_t number) const {
  size_t i = size_t(number);
  return i < ranges.size() ? SizeExpression::size(unsigned(i))
                           : *SizeExpression::fromCode(others[i - ranges.size()].code);
}

SizeDomain Sizes::domain() const {
  return SizeDomain(llvm::map_to_vector(ranges, [](const SizeRange &range) { return SizeBounds{range.low, range.high}; }));
}

/// Returns the product of `a` and `b`; INT64_MAX if the product overflows.
static int64_t saturating(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? INT64_MAX : product;
}

Extent Sizes::of(int64_t number) const {
  int64_t factor = number, low = 1, high = 1;
  SmallVector<StringRef> sizes;
  for (int64_t size = 0; size < count(); ++size)
    for (int64_t placeholder = placeholderFor(size); factor && factor % placeholder == 0; factor /= placeholder) {
      sizes.push_back(nameOf(size));
      SizeBounds bounds = boundsOf(size);
      low = saturating(low, bounds.low);
      high = saturating(high, bounds.high);
    }
  low = saturating(low, factor);
  high = saturating(high, factor);
  if (factor < 0)
    std::swap(low, high);
  return Extent(number, factor, sizes, low, high);
}

int64_t Sizes::at(StringRef name, ArrayRef<int64_t> values) const {
  size_t i = size_t(*find(name));
  return i < ranges.size() ? values[i]
                           : SizeEvaluator(others[i - ranges.size()].code).at(values).value_or(INT64_MAX);
}

int64_t Sizes::at(const Extent &extent, ArrayRef<int64_t> values) const {
  int64_t product = 1;
  for (StringRef name : extent.sizes())
    product = saturating(product, at(name, values));
  return saturating(product, extent.factor());
}
