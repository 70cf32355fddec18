//===- SizedTensor.cpp - integer tensors that depend on sizes -------------===//

#include "SizedTensor.h"

#include "ConstantFormula.h"
#include "IntegerArithmetic.h"
#include "SizeScope.h"

#include "Heddle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

/// The maximum number of elements of a tensor that has an expression for each element.
static constexpr int64_t maxElements = 64;

int64_t SizedTensor::countListed(ArrayRef<Dim> shape) {
  int64_t count = 1;
  for (const Dim &dim : shape) {
    if (!dim.isFixed() || *dim.number() > maxElements)
      return -1;
    count *= *dim.number();
    if (count > maxElements)
      return -1;
  }
  return count;
}

/// Returns a constant as a tensor; nothing if it is large and no formula describes its elements.
static std::optional<SizedTensor> ofConstant(DenseElementsAttr constant, RankedTensorType type) {
  SizedTensor tensor{dimsOf(type), cast<IntegerType>(type.getElementType()), {}};
  bool isBool = tensor.element.getWidth() == 1;
  auto numberOf = [&](const APInt &value) { return int64_t(isBool ? value.getZExtValue() : value.getSExtValue()); };
  if (tensor.element.getWidth() > 64)
    return std::nullopt;
  int64_t count = SizedTensor::countListed(tensor.shape);
  if (count >= 0) {
    for (const APInt &value : constant.getValues<APInt>())
      tensor.elements.push_back(numberOf(value));
    return tensor;
  }
  tensor.isFormula = true;
  std::optional<SizeExpression> formula;
  if (constant.isSplat())
    formula = SizeExpression(numberOf(constant.getSplatValue<APInt>()));
  else if (!constant.empty())
    formula = formulaOf(constant);
  if (!formula)
    return std::nullopt;
  tensor.elements = {*formula};
  return tensor;
}

std::optional<SizedTensor> SizedTensor::of(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!SizeScope::current() || !type || !isa<IntegerType>(type.getElementType()))
    return std::nullopt;
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return ofConstant(constant, type);
  auto op = value.getDefiningOp<SizesOp>();
  if (!op)
    return std::nullopt;
  SizedTensor tensor{dimsOf(type), cast<IntegerType>(type.getElementType()), {}};
  for (Attribute code : op.getElements())
    tensor.elements.push_back(*SizeExpression::fromCode(cast<DenseI64ArrayAttr>(code)));
  tensor.isFormula = countListed(tensor.shape) < 0;
  return tensor;
}

Value SizedTensor::emit(ImplicitLocOpBuilder &b) const {
  auto type = RankedTensorType::get(numbersOf(shape), element);
  SmallVector<APInt> numbers;
  for (const SizeExpression &expression : elements)
    if (auto number = expression.number())
      numbers.push_back(APInt(element.getWidth(), uint64_t(*number), /*isSigned=*/true, /*implicitTrunc=*/true));
  if (numbers.size() == elements.size())
    return arith::ConstantOp::create(b, isFormula ? DenseElementsAttr::get(type, numbers.front())
                                                  : DenseElementsAttr::get(type, numbers));
  SmallVector<Attribute> codes;
  for (const SizeExpression &expression : elements)
    codes.push_back(b.getDenseI64ArrayAttr(expression.code()));
  return SizesOp::create(b, type, b.getArrayAttr(codes));
}

SmallVector<SizeBounds> SizedTensor::placeBounds() const {
  return llvm::map_to_vector(shape, [](const Dim &dim) {
    int64_t high = dim.high();
    return SizeBounds{0, high == INT64_MAX ? high : std::max<int64_t>(high - 1, 0)};
  });
}

std::optional<SizeBounds> SizedTensor::bounds() const {
  std::optional<SizeBounds> all;
  SmallVector<SizeBounds> places = placeBounds();
  for (const SizeExpression &expression : elements) {
    auto one = SizeScope::current()->domain().boundsOf(expression, places, /*isExact=*/true);
    if (!one)
      return std::nullopt;
    all = all ? SizeBounds{std::min(all->low, one->low), std::max(all->high, one->high)} : *one;
  }
  return all;
}

std::optional<SymbolicShape> SizedTensor::dims() const {
  if (isFormula)
    return std::nullopt;
  return llvm::map_to_vector(elements, [](const SizeExpression &expression) { return Dim(expression); });
}

std::optional<Dim> SizedTensor::splat() const {
  if (elements.empty() || (isFormula && elements.front().hasPlaces()) || !llvm::all_equal(elements))
    return std::nullopt;
  return Dim(elements.front());
}

std::optional<SizeExpression> SizedTensor::formula() const {
  if (isFormula)
    return elements.front();
  if (elements.empty())
    return std::nullopt;
  if (std::optional<SizeExpression> formula = linearFormula())
    return formula;
  SizeExpression place = 0, all = 0;
  for (auto [dim, stride] : llvm::enumerate(computeStrides(*fixedNumbers(shape))))
    place = place + SizeExpression(stride) * SizeExpression::place(unsigned(dim));
  for (auto [i, element] : llvm::enumerate(elements)) // exactly one comparison is 1, so the sum is the selected element
    all = all + SizeExpression::equal(place, int64_t(i)) * element;
  return all;
}

/// Returns a formula for elements that change by a constant step along each dimension; nothing if the steps vary. The
/// tensor must have an expression for each element.
std::optional<SizeExpression> SizedTensor::linearFormula() const {
  SmallVector<int64_t> numbers = *fixedNumbers(shape), strides = computeStrides(numbers);
  SizeExpression formula = elements.front();
  SmallVector<SizeExpression> steps;
  for (auto [dim, extent] : llvm::enumerate(numbers)) {
    steps.push_back(extent > 1 ? elements[size_t(strides[dim])] - elements.front() : SizeExpression(0));
    formula = formula + steps.back() * SizeExpression::place(unsigned(dim));
  }
  for (auto [i, element] : llvm::enumerate(elements)) {
    SizeExpression expected = elements.front();
    int64_t left = int64_t(i);
    for (auto [step, stride] : llvm::zip_equal(steps, strides)) {
      expected = expected + step * (left / stride);
      left %= stride;
    }
    if (expected != element)
      return std::nullopt;
  }
  return formula;
}

std::optional<SizedTensor> SizedTensor::elementwise(Operation *op, ArrayRef<SizedTensor> operands) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  auto element = type ? dyn_cast<IntegerType>(type.getElementType()) : IntegerType();
  if (!element)
    return std::nullopt;
  SizedTensor result{operands.front().shape, element, {}, operands.front().isFormula};
  SmallVector<SizeBounds> places = result.isFormula ? result.placeBounds() : SmallVector<SizeBounds>();
  for (size_t i = 0; i < operands.front().elements.size(); ++i) {
    SmallVector<SizeExpression> x;
    for (const SizedTensor &operand : operands)
      x.push_back(operand.elements[i]);
    std::optional<SizeExpression> value = computeInteger(op, x, places);
    if (!value)
      return std::nullopt;
    result.elements.push_back(*value);
  }
  return result;
}
