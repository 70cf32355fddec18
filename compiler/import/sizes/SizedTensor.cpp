//===- SizedTensor.cpp - integers that are known but for sizes ------------===//

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

/// The most elements that have an expression of their own.
static constexpr int64_t mostElements = 64;

static int64_t countOf(ArrayRef<Dim> shape) {
  int64_t count = 1;
  for (const Dim &dim : shape) {
    if (!dim.isFixed() || *dim.number() > mostElements)
      return -1;
    count *= *dim.number();
    if (count > mostElements)
      return -1;
  }
  return count;
}

static std::optional<SizedTensor> ofConstant(DenseElementsAttr constant, RankedTensorType type) {
  SizedTensor tensor{dimsOf(type), cast<IntegerType>(type.getElementType()), {}};
  bool isBool = tensor.element.getWidth() == 1;
  auto numberOf = [&](const APInt &value) { return int64_t(isBool ? value.getZExtValue() : value.getSExtValue()); };
  if (tensor.element.getWidth() > 64)
    return std::nullopt;
  int64_t count = countOf(tensor.shape);
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
  tensor.isFormula = countOf(tensor.shape) < 0;
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

std::optional<Dims> SizedTensor::dims() const {
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
  for (auto [i, element] : llvm::enumerate(elements)) // of which one is not 0
    all = all + SizeExpression::equal(place, int64_t(i)) * element;
  return all;
}

/// Of a list: the first element and a step along each dimension, where these say all others.
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

/// The formula of `from`, whose places are these expressions of the places of a tensor of this shape.
static SizedTensor moved(const SizedTensor &from, ArrayRef<Dim> to, ArrayRef<SizeExpression> places) {
  SizedTensor tensor{Dims(to), from.element, {}};
  int64_t count = countOf(to);
  tensor.isFormula = count < 0;
  SizeExpression all = from.formula().value_or(SizeExpression(0)).withPlaces(places);
  if (tensor.isFormula) {
    tensor.elements = {SizeScope::current()->domain().simplify(all, tensor.placeBounds())};
    return tensor;
  }
  SmallVector<int64_t> strides = computeStrides(*fixedNumbers(to));
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<SizeExpression> at;
    int64_t left = i;
    for (int64_t stride : strides) {
      at.push_back(left / stride);
      left %= stride;
    }
    tensor.elements.push_back(SizeScope::current()->domain().simplify(all.withPlaces(at)));
  }
  return tensor;
}

/// Elements of a list in other places: `places` are expressions of the new places that come to numbers.
static SizedTensor pick(const SizedTensor &from, ArrayRef<Dim> to, ArrayRef<SizeExpression> places) {
  int64_t count = countOf(to);
  std::optional<SmallVector<int64_t>> shape = fixedNumbers(from.shape);
  if (from.isFormula || count < 0)
    return moved(from, to, places);
  SizedTensor tensor{Dims(to), from.element, {}};
  SmallVector<int64_t> strides = computeStrides(*fixedNumbers(to)), fromStrides = computeStrides(*shape);
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<SizeExpression> at;
    int64_t left = i, place = 0;
    for (int64_t stride : strides) {
      at.push_back(left / stride);
      left %= stride;
    }
    for (auto [expression, stride] : llvm::zip_equal(places, fromStrides)) {
      std::optional<int64_t> number = expression.withPlaces(at).number();
      if (!number)
        return moved(from, to, places);
      place += *number * stride;
    }
    tensor.elements.push_back(from.elements[size_t(place)]);
  }
  return tensor;
}

SizedTensor SizedTensor::ofFormula(ArrayRef<Dim> shape, IntegerType element, const SizeExpression &formula) {
  SmallVector<SizeExpression> same;
  for (unsigned i = 0; i < shape.size(); ++i)
    same.push_back(SizeExpression::place(i));
  return moved(SizedTensor{Dims(shape), element, {formula}, /*isFormula=*/true}, shape, same);
}

SizedTensor SizedTensor::gathered(const SizedTensor &indices, int64_t axis, ArrayRef<Dim> to) const {
  if (!isFormula && !indices.isFormula && shape.size() == 1) { // one by one
    SizedTensor result{Dims(to), element, {}};
    for (const SizeExpression &index : indices.elements) {
      std::optional<int64_t> number = index.number();
      result.elements.push_back(number ? elements[size_t(*number)]
                                       : SizeScope::current()->domain().simplify(formula()->withPlaces({index})));
    }
    return result;
  }
  unsigned rank = unsigned(indices.shape.size());
  SmallVector<SizeExpression> places, inner;
  for (unsigned i = 0; i < rank; ++i)
    inner.push_back(SizeExpression::place(unsigned(axis) + i));
  for (unsigned i = 0; i < shape.size(); ++i)
    places.push_back(int64_t(i) < axis    ? SizeExpression::place(i)
                     : int64_t(i) == axis ? indices.formula()->withPlaces(inner)
                                          : SizeExpression::place(i - 1 + rank));
  return pick(*this, to, places);
}

SizedTensor SizedTensor::transposed(ArrayRef<int64_t> permutation) const {
  Dims to;
  SmallVector<SizeExpression> places(shape.size(), SizeExpression(0));
  for (auto [i, dim] : llvm::enumerate(permutation)) {
    to.push_back(shape[dim]);
    places[dim] = SizeExpression::place(unsigned(i));
  }
  return pick(*this, to, places);
}

SizedTensor SizedTensor::broadcast(ArrayRef<Dim> to) const {
  SmallVector<SizeExpression> places;
  size_t lead = to.size() - shape.size();
  for (auto [i, dim] : llvm::enumerate(shape))
    places.push_back(dim.number() == 1 ? SizeExpression(0) : SizeExpression::place(unsigned(lead + i)));
  return pick(*this, to, places);
}

SizedTensor SizedTensor::sliced(ArrayRef<Dim> offsets, ArrayRef<Dim> to, ArrayRef<int64_t> strides) const {
  SmallVector<SizeExpression> places;
  for (auto [i, offset] : llvm::enumerate(offsets))
    places.push_back(offset.asExpression() + SizeExpression(strides[i]) * SizeExpression::place(unsigned(i)));
  return pick(*this, to, places);
}

/// As many elements: through the place in a row of all of them, where dimensions are not just taken along.
SizedTensor SizedTensor::reshaped(ArrayRef<Dim> to) const {
  if (!isFormula && countOf(to) >= 0) {
    SizedTensor tensor = *this;
    tensor.shape = Dims(to);
    return tensor;
  }
  auto isOne = [](const Dim &dim) { return dim.number() == 1; };
  SmallVector<unsigned> from, into; // dimensions that are not 1
  for (auto [i, dim] : llvm::enumerate(shape))
    if (!isOne(dim))
      from.push_back(unsigned(i));
  for (auto [i, dim] : llvm::enumerate(to))
    if (!isOne(dim))
      into.push_back(unsigned(i));
  SmallVector<SizeExpression> places(shape.size(), SizeExpression(0));
  bool isSame = from.size() == into.size() && llvm::all_of(llvm::zip(from, into), [&](auto pair) {
                  return shape[std::get<0>(pair)].asExpression() == to[std::get<1>(pair)].asExpression();
                });
  if (isSame) {
    for (auto [i, j] : llvm::zip_equal(from, into))
      places[i] = SizeExpression::place(j);
    return pick(*this, to, places);
  }
  SizeExpression row = 0;
  for (auto [i, dim] : llvm::enumerate(to))
    row = row * dim.asExpression() + SizeExpression::place(unsigned(i));
  for (int64_t i = int64_t(shape.size()) - 1; i >= 0; --i) {
    SizeExpression rest = SizeExpression::floorDiv(row, shape[i].asExpression());
    places[i] = row - rest * shape[i].asExpression();
    row = rest;
  }
  return moved(*this, to, places);
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

std::optional<SizedTensor> SizedTensor::concat(ArrayRef<SizedTensor> parts, int64_t axis, ArrayRef<Dim> to) {
  SizedTensor all{Dims(to), parts.front().element, {}};
  if (countOf(to) >= 0 && axis == 0) {
    for (const SizedTensor &part : parts)
      llvm::append_range(all.elements, part.elements);
    return all;
  }
  SizeExpression place = SizeExpression::place(unsigned(axis)), whole = 0;
  Dim begin = 0;
  bool isFirst = true;
  for (const SizedTensor &part : parts) { // each from where it begins on
    std::optional<SizeExpression> formula = part.formula();
    if (!formula)
      return std::nullopt;
    SmallVector<SizeExpression> places;
    for (unsigned i = 0; i < to.size(); ++i)
      places.push_back(SizeExpression::place(i) - (int64_t(i) == axis ? begin.asExpression() : SizeExpression(0)));
    SizeExpression shifted = formula->withPlaces(places);
    whole = std::exchange(isFirst, false)
                ? shifted
                : SizeExpression::select(SizeExpression::less(place, begin.asExpression()), whole, shifted);
    begin += part.shape[axis];
  }
  return ofFormula(to, all.element, whole);
}

/// Between the first place and the last along each dimension, an expression that has each place as a factor once at most is
/// largest and least at one of these.
bool heddle::isWithin(const SizeExpression &index, ArrayRef<Dim> shape, const Dim &low, const Dim &high) {
  const SizeDomain &domain = SizeScope::current()->domain();
  auto isNever = [&](const SizeExpression &e) { return domain.isNegative(e).always == false; };
  auto holds = [&](const SizeExpression &at) {
    return isNever(at - low.asExpression()) && isNever(high.asExpression() - 1 - at);
  };
  SmallVector<unsigned> places = index.places();
  SmallVector<SizeBounds> bounds;
  for (const Dim &dim : shape)
    bounds.push_back({0, std::max<int64_t>(dim.high() - 1, 0)});
  if (auto all = domain.boundsOf(index, bounds, /*isExact=*/true))
    if (all->low >= low.high() && all->high < high.low())
      return true;
  if (places.size() > 8)
    return false;
  for (size_t corner = 0; corner < size_t(1) << places.size(); ++corner) {
    SmallVector<SizeExpression> at;
    for (unsigned i = 0; i < shape.size(); ++i)
      at.push_back(SizeExpression::place(i));
    for (auto [i, place] : llvm::enumerate(places)) {
      // No second difference: it is linear along this place.
      SmallVector<SizeExpression> next, afterNext;
      for (unsigned j = 0; j < shape.size(); ++j) {
        next.push_back(SizeExpression::place(j) + int64_t(j == place));
        afterNext.push_back(SizeExpression::place(j) + 2 * int64_t(j == place));
      }
      if (index.withPlaces(afterNext) - index.withPlaces(next) - index.withPlaces(next) + index != SizeExpression(0))
        return false;
      at[place] = corner >> i & 1 ? shape[place].asExpression() - 1 : SizeExpression(0);
    }
    if (!holds(index.withPlaces(at)))
      return false;
  }
  return true;
}
