//===- SizeNumber.cpp - constants that depend on sizes --------------------===//

#include "SizeNumber.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

/// Returns the value of an integer, or of a constant with equal elements, if it has at most `bits` significant bits.
static std::optional<int64_t> integerOf(Attribute number, unsigned bits) {
  if (auto elements = dyn_cast<DenseIntElementsAttr>(number); elements && elements.isSplat())
    number = elements.getSplatValue<Attribute>();
  auto integer = dyn_cast<IntegerAttr>(number);
  bool fits = integer && !integer.getType().isInteger(1) && integer.getValue().getSignificantBits() <= bits;
  return fits ? std::optional(integer.getValue().getSExtValue()) : std::nullopt;
}

std::optional<SizeNumber> SizeNumber::find(const Sizes &sizes, Attribute number) {
  std::optional<int64_t> integer = integerOf(number, 64);
  if (sizes.empty() || !integer)
    return std::nullopt;
  Extent extent = sizes.of(*integer);
  return extent.isFixed() ? std::nullopt : std::optional(SizeNumber{extent});
}

/// Calls `visit` with each product of up to three placeholders of `sizes`, the corresponding product of `others`, and
/// the number of factors, until `visit` returns true. Shorter products come first.
static void forEachProduct(const Sizes &sizes, const Sizes &others,
                           function_ref<bool(int64_t, int64_t, unsigned)> visit) {
  SmallVector<std::pair<int64_t, int64_t>> placeholders;
  assert(sizes.count() == others.count());
  for (int64_t number = 0; number < sizes.count(); ++number)
    placeholders.push_back({sizes.placeholderFor(number), others.placeholderFor(number)});
  SmallVector<std::pair<int64_t, int64_t>> products = {{1, 1}}, longer;
  for (unsigned count = 1; count <= 3; ++count, products = std::move(longer)) {
    longer.clear();
    for (auto [mine, theirs] : products)
      for (auto [size, other] : placeholders)
        longer.push_back({mine * size, theirs * other});
    for (auto [mine, theirs] : longer)
      if (visit(mine, theirs, count))
        return;
  }
}

std::optional<SizeNumber> SizeNumber::findSum(const Sizes &sizes, const Sizes &others, Attribute mine,
                                              Attribute theirs) {
  std::optional<int64_t> number = integerOf(mine, 48), other = integerOf(theirs, 48);
  std::optional<SizeNumber> found;
  if (!number || !other)
    return found;
  int64_t difference = *number - *other;
  forEachProduct(sizes, others, [&](int64_t product, int64_t otherProduct, unsigned count) {
    int64_t each = product - otherProduct;
    if (each == 0 || difference % each != 0 || difference / each < 1)
      return false;
    int64_t factor = difference / each;
    SizeNumber sum{sizes.of(factor * product), *number - factor * product};
    if (sum.extent.factor() == factor && sum.extent.sizes().size() == count && sum.extent.low() + sum.plus >= 0)
      found = sum;
    return found.has_value();
  });
  return found;
}

bool SizeNumber::isLike(const SizeNumber &other) const {
  return extent.factor() == other.extent.factor() && extent.sizes() == other.extent.sizes() && plus == other.plus;
}
