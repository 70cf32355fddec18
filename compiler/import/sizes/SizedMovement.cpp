//===- SizedMovement.cpp - moves parts of size-dependent tensors ----------===//

#include "SizedTensor.h"

#include "SizeScope.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace heddle;

/// Moves the elements of `from` to a tensor of shape `to`. `places` are the indices at which an element of the result
/// is read from `from`, as expressions of the element's indices in the result.
static SizedTensor moved(const SizedTensor &from, ArrayRef<Dim> to, ArrayRef<SizeExpression> places) {
  SizedTensor tensor{SymbolicShape(to), from.element, {}};
  int64_t count = SizedTensor::countListed(to);
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

/// Moves elements like `moved`. If both tensors have an expression for each element and `places` evaluate to numbers,
/// copies the elements one by one.
static SizedTensor pick(const SizedTensor &from, ArrayRef<Dim> to, ArrayRef<SizeExpression> places) {
  int64_t count = SizedTensor::countListed(to);
  std::optional<SmallVector<int64_t>> shape = fixedNumbers(from.shape);
  if (from.isFormula || count < 0)
    return moved(from, to, places);
  SizedTensor tensor{SymbolicShape(to), from.element, {}};
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
  return moved(SizedTensor{SymbolicShape(shape), element, {formula}, /*isFormula=*/true}, shape, same);
}

SizedTensor SizedTensor::gathered(const SizedTensor &indices, int64_t axis, ArrayRef<Dim> to) const {
  if (!isFormula && !indices.isFormula && shape.size() == 1) { // each index has its own expression
    SizedTensor result{SymbolicShape(to), element, {}};
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
  SymbolicShape to;
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

/// If both shapes are equal except for dimensions of extent 1, each index moves to the corresponding dimension.
/// Otherwise the indices are computed from the linear index of the element.
SizedTensor SizedTensor::reshaped(ArrayRef<Dim> to) const {
  if (!isFormula && countListed(to) >= 0) {
    SizedTensor tensor = *this;
    tensor.shape = SymbolicShape(to);
    return tensor;
  }
  auto isOne = [](const Dim &dim) { return dim.number() == 1; };
  SmallVector<unsigned> from, into; // dimensions with an extent other than 1
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

std::optional<SizedTensor> SizedTensor::concat(ArrayRef<SizedTensor> parts, int64_t axis, ArrayRef<Dim> to) {
  SizedTensor all{SymbolicShape(to), parts.front().element, {}};
  if (countListed(to) >= 0 && axis == 0) {
    for (const SizedTensor &part : parts)
      llvm::append_range(all.elements, part.elements);
    return all;
  }
  SizeExpression place = SizeExpression::place(unsigned(axis)), whole = 0;
  Dim begin = 0;
  bool isFirst = true;
  for (const SizedTensor &part : parts) { // `shifted` is the part's formula, moved to the part's offset
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
