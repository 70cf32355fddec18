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
  if (auto list = module->getAttrOfType<ArrayAttr>(notes::derived.name))
    for (Attribute entry : list)
      if (std::optional<DerivedSizeNote> note = DerivedSizeNote::read(entry))
        others.push_back(*note);
}

DerivedSizes Sizes::derived() const {
  return llvm::map_to_vector(others, [](const DerivedSizeNote &note) -> DerivedSize {
    return {note.name, *SizeExpression::fromCode(note.code), note.stands, note.low, note.high};
  });
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

int64_t Sizes::standsFor(int64_t number) const {
  size_t i = size_t(number);
  return i < ranges.size() ? ranges[i].stands : others[i - ranges.size()].stands;
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

/// A product that is too large is INT64_MAX.
static int64_t saturating(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? INT64_MAX : product;
}

Extent Sizes::of(int64_t number) const {
  Extent extent;
  extent.number = extent.factor = number;
  for (int64_t size = 0; size < count(); ++size)
    for (int64_t stands = standsFor(size); extent.factor && extent.factor % stands == 0; extent.factor /= stands) {
      extent.sizes.push_back(nameOf(size));
      SizeBounds bounds = boundsOf(size);
      extent.low = saturating(extent.low, bounds.low);
      extent.high = saturating(extent.high, bounds.high);
    }
  extent.low = saturating(extent.low, extent.factor);
  extent.high = saturating(extent.high, extent.factor);
  if (extent.factor < 0)
    std::swap(extent.low, extent.high);
  return extent;
}

int64_t Sizes::at(StringRef name, ArrayRef<int64_t> values) const {
  size_t i = size_t(*find(name));
  return i < ranges.size() ? values[i]
                           : SizeEvaluator(others[i - ranges.size()].code).at(values).value_or(INT64_MAX);
}

int64_t Sizes::at(const Extent &extent, ArrayRef<int64_t> values) const {
  int64_t product = 1;
  for (StringRef name : extent.sizes)
    product = saturating(product, at(name, values));
  return saturating(product, extent.factor);
}

LogicalResult heddle::deriveSizes(ModuleOp module, ArrayRef<SizeExpression> expressions) {
  Sizes sizes(module);
  SizeDomain domain = sizes.domain();
  SmallVector<StringRef> names;
  SmallVector<int64_t> stands;
  for (const SizeRange &range : sizes.all()) {
    names.push_back(range.name);
    stands.push_back(range.stands);
  }
  std::vector<std::string> texts;
  texts.reserve(expressions.size()); // what is noted refers to them
  DerivedSizes derived;
  for (const SizeExpression &expression : expressions) {
    texts.push_back(expression.text(names));
    std::optional<SizeBounds> bounds = domain.boundsOf(expression, {}, /*isExact=*/true);
    std::optional<int64_t> number = SizeEvaluator(expression).at(stands);
    if (!bounds || !number)
      return module.emitError() << texts.back() << " is no number of 64 bits at some of the sizes";
    if (bounds->low < 0)
      return module.emitError() << texts.back() << " is less than 0 at some of the sizes";
    if (expression.stacked() > SizeExpression::mostStacked)
      return module.emitError() << texts.back() << " has more parts within parts than a library describes";
    if (*number < 2)
      return module.emitError() << *number << " cannot stand for " << texts.back();
    derived.push_back({texts.back(), expression, *number, bounds->low, bounds->high});
  }
  notes::derived.set(module, derived);
  return success();
}
