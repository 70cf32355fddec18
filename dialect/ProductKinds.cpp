//===- ProductKinds.cpp - properties of the kinds of products -------------===//

#include "Heddle.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

LogicalResult DotNibblesAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> values,
                                     UnsignedSide unsignedSide, int64_t sumBits) {
  if (values.size() != 16 || !llvm::all_of(values, llvm::isInt<8>))
    return emitError() << "expects 16 values from -128 to 127";
  if (unsignedSide == UnsignedSide::Weight)
    return emitError() << "expects unsigned rows or no unsigned operand, since the values of the weight are signed";
  if (sumBits != 16 && sumBits != 32)
    return emitError() << "expects 16 or 32 sum_bits, found " << sumBits;
  return success();
}

std::optional<int64_t> DotNibblesAttr::getOffset() const {
  for (auto [bits, value] : llvm::enumerate(getValues()))
    if (value != getValues().front() + int64_t(bits))
      return std::nullopt;
  return getValues().front();
}

bool DotNibblesAttr::hasUnsignedSums() const {
  return getUnsignedSide() == UnsignedSide::Rows && llvm::all_of(getValues(), [](int64_t value) { return value >= 0; });
}

int64_t DotNibblesAttr::getMaxSteps() const {
  if (getSumBits() == 32)
    return std::numeric_limits<int64_t>::max();
  // Each sum has two accumulators of 16 bits, and a step adds two of its four products to each of them.
  int64_t largest = 1;
  for (int64_t value : getValues())
    largest = std::max(largest, std::abs(value));
  int64_t row = getUnsignedSide() == UnsignedSide::Rows ? 255 : 128;
  return (hasUnsignedSums() ? UINT16_MAX : INT16_MAX) / (2 * row * largest);
}
