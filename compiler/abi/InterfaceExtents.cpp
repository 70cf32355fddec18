//===- InterfaceExtents.cpp - extents as products of sizes ----------------===//

#include "InterfaceExtents.h"

#include "DerivedSizes.h"
#include "Sizes.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

void heddle::readDerived(ModelInterface &interface, ModuleOp module) {
  SmallVector<StringRef> identifiers;
  for (const InterfaceSize &size : interface.sizes)
    identifiers.push_back(size.identifier);
  for (const DerivedSize &size : derivedSizes(module))
    interface.derived.push_back({size.expression.text(identifiers), size.expression, size.low, size.high});
}

std::vector<uint8_t> heddle::powersOf(const Extent &extent, const Sizes &sizes) {
  std::vector<uint8_t> powers(size_t(sizes.count()), 0);
  for (StringRef name : extent.sizes())
    ++powers[size_t(*sizes.find(name))];
  return powers;
}

/// Returns a product with the identifiers of sizes, such as "4 * s".
static std::string textOf(const InterfaceProduct &product, const ModelInterface &interface) {
  std::vector<std::string> factors;
  if (product.each != 1)
    factors.push_back(std::to_string(product.each));
  size_t sizes = interface.sizes.size();
  for (auto [i, power] : llvm::enumerate(product.powers))
    for (unsigned n = 0; n < power; ++n)
      factors.push_back(i < sizes ? interface.sizes[i].identifier : "(" + interface.derived[i - sizes].text + ")");
  if (factors.empty())
    return "1";
  // A derived size needs parentheses only if there are other factors.
  StringRef only = factors.front();
  return factors.size() == 1 && only.consume_front("(") ? only.drop_back().str() : llvm::join(factors, " * ");
}

InterfaceBound heddle::readBound(int64_t number, bool isLow, const Sizes &sizes, const ModelInterface &interface) {
  Extent bound = sizes.of(number);
  InterfaceProduct value{bound.factor(), powersOf(bound, sizes)};
  return {value, isLow ? bound.low() : bound.high(), textOf(value, interface)};
}

void heddle::readExtents(InterfaceTensor &tensor, const Sizes &sizes, const ModelInterface &interface) {
  tensor.powers.assign(tensor.shape.size(), std::vector<uint8_t>(size_t(sizes.count()), 0));
  for (auto [extent, powers, dim] : llvm::zip(tensor.shape, tensor.powers, tensor.dims)) {
    Extent product = sizes.of(extent);
    if (product.isFixed())
      continue;
    extent = product.factor();
    powers = powersOf(product, sizes);
    dim = textOf({extent, powers}, interface);
  }
}
