//===- StoredSteps.cpp - result shapes of quantization steps --------------===//
//
// The recipe of a weight is a list of steps that are applied to a stored tensor when a library is written. Each
// `applyTo` replaces the shape and element type of a step's operand by those of its result. It returns an error
// message, or an empty string if the step is valid.
//
//===----------------------------------------------------------------------===//

#include "Heddle.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

static bool isByte(Type element) { return element.isSignlessInteger(8); }

/// Whether the row numbers ascend strictly and lie in [0, count).
static bool ascendsWithin(ArrayRef<int64_t> rows, int64_t count) {
  for (auto [i, row] : llvm::enumerate(rows))
    if (row < 0 || row >= count || (i && row <= rows[i - 1]))
      return false;
  return true;
}

/// Verifies a step `quantize` or `scales` for a tensor of the given shape and element type.
template <typename Step>
static std::string checkQuantization(Step step, ArrayRef<int64_t> shape, Type element) {
  if (step.getBits() < 2 || step.getBits() > 8)
    return std::to_string(step.getBits()) + " bits are outside 2..8";
  if (!isa<FloatType>(element) || shape.size() != step.getBlock().size() ||
      llvm::any_of(step.getBlock(), [](int64_t size) { return size < 1; }))
    return "expected floats and a block of at least 1 element along each dimension";
  if (!step.getOutliers().empty() && (shape.empty() || !ascendsWithin(step.getOutliers(), shape[0])))
    return "outlier rows must ascend and be rows of the tensor";
  return "";
}

std::string QuantizeStepAttr::applyTo(SmallVectorImpl<int64_t> &shape, Type &element) const {
  std::string complaint = checkQuantization(*this, shape, element);
  element = IntegerType::get(getContext(), 8);
  return complaint;
}

std::string ScalesStepAttr::applyTo(SmallVectorImpl<int64_t> &shape, Type &element) const {
  std::string complaint = checkQuantization(*this, shape, element);
  if (!complaint.empty())
    return complaint;
  for (auto [size, block] : llvm::zip_equal(shape, getBlock()))
    size = llvm::divideCeilSigned(size, block);
  element = Float32Type::get(getContext());
  return "";
}

std::string TakeStepAttr::applyTo(SmallVectorImpl<int64_t> &shape, Type &) const {
  if (shape.empty() || llvm::any_of(getRows(), [&](int64_t row) { return row < 0 || row >= shape[0]; }))
    return "expected indices of rows of the tensor";
  shape[0] = getRows().size();
  return "";
}

std::string NumbersStepAttr::applyTo(SmallVectorImpl<int64_t> &shape, Type &element) const {
  if (!llvm::all_of(getNumbers(), llvm::isInt<32>))
    return "expected numbers that fit into 32 bits";
  shape.assign(1, int64_t(getNumbers().size()));
  element = IntegerType::get(getContext(), 32);
  return "";
}

std::string KeptBitsStepAttr::applyTo(SmallVectorImpl<int64_t> &shape, Type &element) const {
  if (shape.size() != 1 || !element.isSignlessInteger(32) || getCount() < 0 ||
      llvm::AddOverflow(shape[0], getCount(), shape[0]))
    return "expected a list of i32, and a count of at least 0";
  return "";
}

std::string BlockSumsStepAttr::applyTo(SmallVectorImpl<int64_t> &shape, Type &element) const {
  if (shape.size() != 2 || !isByte(element) || getBlock() < 1)
    return "expected a matrix of i8 and blocks of at least one row";
  shape[0] = llvm::divideCeilSigned(shape[0], getBlock());
  element = IntegerType::get(getContext(), 32);
  return "";
}

std::string BytesStepAttr::applyTo(SmallVectorImpl<int64_t> &shape, Type &element) const {
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8)
    return "expected elements of whole bytes";
  shape.push_back(element.getIntOrFloatBitWidth() / 8);
  element = IntegerType::get(getContext(), 8);
  return "";
}

std::string NibblesStepAttr::applyTo(SmallVectorImpl<int64_t> &shape, Type &element) const {
  if (shape.empty() || !isByte(element) || llvm::MulOverflow(shape.back(), int64_t(2), shape.back()))
    return "expected elements of i8 and at least one dimension";
  return "";
}

std::string JoinNibblesStepAttr::applyTo(SmallVectorImpl<int64_t> &shape, Type &element) const {
  if (getRows() < 2 || getRows() % 2)
    return "expected an even number of rows";
  if (getValues().empty() || getValues().size() > 16 || !llvm::all_of(getValues(), llvm::isInt<8>))
    return "expected 1 to 16 values from -128 to 127";
  if (shape.size() < 3 || !isByte(element) || shape[shape.size() - 3] % getRows())
    return llvm::formatv("expected a packed matrix of i8 with groups of {0} rows", getRows());
  shape[shape.size() - 3] /= 2;
  return "";
}

std::string UnpackStepAttr::applyTo(SmallVectorImpl<int64_t> &shape, Type &element) const {
  Format format = getFormat();
  if (shape.empty() || !isByte(element) || shape.back() % format.getBlockBytes())
    return llvm::formatv("expected i8 in rows of whole blocks, which have {0} bytes", format.getBlockBytes());
  if (getPart() == FormatPart::Offsets && !format.hasOffset())
    return "the format has no offsets";
  bool isCodes = getPart() == FormatPart::Codes;
  shape.back() =
      shape.back() / format.getBlockBytes() * (format.getBlockLength() / (isCodes ? 1 : format.getGroupLength()));
  element = isCodes ? Type(IntegerType::get(getContext(), 8)) : Float32Type::get(getContext());
  return "";
}

std::string AddStepAttr::applyTo(SmallVectorImpl<int64_t> &, Type &element) const {
  bool isWord = element.isInteger(32);
  int64_t maximum = isWord ? UINT32_MAX : 255;
  if ((!isByte(element) && !isWord) || getNumber() < -maximum || getNumber() > maximum)
    return "expected elements of i8 or i32, and a number with at most as many bits";
  return "";
}
