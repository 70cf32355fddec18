//===- SizeNumbers.cpp - numbers that are computed from sizes -------------===//

#include "SizeNumbers.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

static std::optional<SizeNumber> findInteger(const Sizes &sizes, int64_t number) {
  for (int64_t plus : {0, -1, 1}) {
    int64_t product;
    if (llvm::SubOverflow(number, plus, product))
      continue;
    Extent extent = sizes.of(product);
    if (!extent.isFixed())
      return SizeNumber{extent, plus};
  }
  return std::nullopt;
}

/// Of the integers that a float may have been rounded from, the one that is a multiple of the most primes.
static std::optional<SizeNumber> findFloat(const Sizes &sizes, FloatAttr number) {
  constexpr double mostSteps = 4096, largest = int64_t(1) << 53;
  double value = number.getValueAsDouble();
  bool isInverse = std::abs(value) < 1;
  value = isInverse ? 1 / value : value;
  if (!(std::abs(value) < largest))
    return std::nullopt;
  int precision = int(APFloat::semanticsPrecision(number.getValue().getSemantics()));
  double slack = std::ldexp(std::abs(value), -precision) + (isInverse ? 0.5 : 0);
  if (slack > mostSteps)
    return std::nullopt;
  int64_t nearest = std::llround(value), steps = int64_t(slack);
  std::optional<SizeNumber> best;
  auto consider = [&](std::optional<SizeNumber> found) {
    if (!found || (best && found->extent.sizes.size() <= best->extent.sizes.size()))
      return;
    found->isInverse = isInverse;
    if (found->at(found->extent.number, number.getType()) == number)
      best = found;
  };
  if (steps == 0)
    consider(findInteger(sizes, nearest));
  for (int64_t step = -steps; step <= steps && steps; ++step)
    if (Extent extent = sizes.of(nearest + step); !extent.isFixed())
      consider(SizeNumber{extent});
  return best;
}

std::optional<SizeNumber> SizeNumber::find(const Sizes &sizes, Attribute number) {
  if (sizes.empty())
    return std::nullopt;
  if (auto elements = dyn_cast<DenseElementsAttr>(number); elements && elements.isSplat())
    return find(sizes, elements.getSplatValue<Attribute>());
  if (auto real = dyn_cast<FloatAttr>(number))
    return findFloat(sizes, real);
  auto integer = dyn_cast<IntegerAttr>(number);
  if (!integer || integer.getType().isInteger(1) || integer.getValue().getSignificantBits() > 64)
    return std::nullopt;
  return findInteger(sizes, integer.getValue().getSExtValue());
}

/// Calls `see` with the products of up to three sizes of both modules, those of one first, until it is true.
static void forEachProduct(const Sizes &sizes, const Sizes &others,
                           function_ref<bool(int64_t, int64_t, unsigned)> see) {
  SmallVector<std::pair<int64_t, int64_t>> stands;
  assert(sizes.count() == others.count());
  for (int64_t number = 0; number < sizes.count(); ++number)
    stands.push_back({sizes.standsFor(number), others.standsFor(number)});
  SmallVector<std::pair<int64_t, int64_t>> products = {{1, 1}}, longer;
  for (unsigned count = 1; count <= 3; ++count, products = std::move(longer)) {
    longer.clear();
    for (auto [mine, theirs] : products)
      for (auto [size, other] : stands)
        longer.push_back({mine * size, theirs * other});
    for (auto [mine, theirs] : longer)
      if (see(mine, theirs, count))
        return;
  }
}

std::optional<SizeNumber> SizeNumber::findSum(const Sizes &sizes, const Sizes &others, Attribute mine,
                                              Attribute theirs) {
  auto integerOf = [](Attribute number) {
    if (auto elements = dyn_cast<DenseIntElementsAttr>(number); elements && elements.isSplat())
      number = elements.getSplatValue<Attribute>();
    auto integer = dyn_cast<IntegerAttr>(number);
    bool fits = integer && !integer.getType().isInteger(1) && integer.getValue().getSignificantBits() <= 48;
    return fits ? std::optional(integer.getValue().getSExtValue()) : std::nullopt;
  };
  std::optional<int64_t> number = integerOf(mine), other = integerOf(theirs);
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
    if (sum.extent.factor == factor && sum.extent.sizes.size() == count && sum.extent.low + sum.plus >= 0)
      found = sum;
    return found.has_value();
  });
  return found;
}

bool SizeNumber::isLike(const SizeNumber &other) const {
  return extent.factor == other.extent.factor && extent.sizes == other.extent.sizes && plus == other.plus &&
         isInverse == other.isInverse;
}

Attribute SizeNumber::at(int64_t product, Type type) const {
  int64_t number;
  if (llvm::AddOverflow(product, plus, number))
    return {};
  if (auto real = dyn_cast<FloatType>(type)) {
    APFloat value(real.getFloatSemantics());
    value.convertFromAPInt(APInt(64, uint64_t(number), /*isSigned=*/true), /*IsSigned=*/true,
                           APFloat::rmNearestTiesToEven);
    if (!isInverse)
      return FloatAttr::get(type, value);
    APFloat one = APFloat::getOne(real.getFloatSemantics());
    one.divide(value, APFloat::rmNearestTiesToEven);
    return FloatAttr::get(type, one);
  }
  unsigned width = isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth();
  return llvm::isIntN(width, number) ? IntegerAttr::get(type, number) : IntegerAttr();
}
