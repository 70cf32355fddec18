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
