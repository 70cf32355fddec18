//===- Scatter.cpp - ScatterND of values known at import ------------------===//

#include "OpTable.h"

#include "sizes/SizeScope.h"
#include "sizes/SizedTensor.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

namespace {

/// Whether the index tuples are the positions of all elements of a tensor of this shape, in order.
bool areOwnPlaces(Value indices, ArrayRef<Dim> shape) {
  unsigned rank = unsigned(shape.size());
  Shape wanted(shape);
  wanted.push_back(rank);
  Shape given = shapeOf(indices);
  // Compares placeholders without recording a condition on sizes.
  auto isSame = [](const Dim &a, const Dim &b) { return numberOf(a) == numberOf(b); };
  if (rank == 0 || given.size() != wanted.size() || !llvm::equal(given, wanted, isSame))
    return false;
  if (std::optional<SizedTensor> sized = SizedTensor::of(indices); sized && sized->isFormula) {
    SmallVector<SizeBounds> places = sized->placeBounds();
    for (unsigned dim = 0; dim < rank; ++dim) {
      SmallVector<SizeExpression> at;
      for (unsigned i = 0; i < rank; ++i)
        at.push_back(SizeExpression::place(i));
      SizeExpression difference = -SizeExpression::place(dim);
      at.push_back(dim);
      difference = difference + sized->elements.front().withPlaces(at);
      auto bounds = SizeScope::current()->domain().boundsOf(difference, places, /*isExact=*/true);
      if (!bounds || bounds->low != 0 || bounds->high != 0)
        return false;
    }
    return true;
  }
  std::optional<Numbers> numbers = Emitter::integersOf(indices), fixed = fixedNumbers(shape);
  if (!numbers || !fixed)
    return false;
  Numbers strides = stridesOf(*fixed);
  for (auto [i, number] : llvm::enumerate(*numbers))
    if (number != int64_t(i) / rank / strides[i % rank] % (*fixed)[i % rank])
      return false;
  return true;
}

/// Exporters build masks with ScatterND. Updates that depend on inputs are refused, unless they replace all elements in
/// order.
LogicalResult convertScatterND(NodeContext &n) {
  if (n.stringAttr("reduction", "none") == "none" && elementOf(n.in(0)) == elementOf(n.in(2)) &&
      n.in(0).getType() == n.in(2).getType() && areOwnPlaces(n.in(1), shapeOf(n.in(0))))
    return n.yield(n.in(2));
  DenseElementsAttr data = n.b.storedElements(n.in(0)), updates = n.b.storedElements(n.in(2));
  FailureOr<Numbers> tuples = n.numbers(1, "the indices");
  if (failed(tuples))
    return failure();
  if (!data || !updates)
    return n.error() << "only supported where all operands are known at import";
  if (n.stringAttr("reduction", "none") != "none")
    return n.error() << "a reduction is not supported";
  std::optional<Numbers> fixed = fixedNumbers(shapeOf(n.in(0))), fixedIndices = fixedNumbers(shapeOf(n.in(1)));
  if (!fixed || !fixedIndices)
    return n.error() << "only supported where shapes are the same for all sizes, found " << typeText(n.in(0)) << " and "
                     << typeText(n.in(1));
  ArrayRef<int64_t> shape = *fixed, indexShape = *fixedIndices;
  if (failed(n.requireSameElements({n.in(0), n.in(2)})))
    return failure();
  int64_t length = indexShape.empty() ? 0 : indexShape.back();
  if (length < 1 || length > static_cast<int64_t>(shape.size()))
    return n.error() << "index tuples of length " << length << " into " << typeText(n.in(0));
  Numbers expected(indexShape.drop_back());
  llvm::append_range(expected, shape.drop_front(length));
  if (fixedNumbers(shapeOf(n.in(2))) != expected)
    return n.error() << "updates are " << typeText(n.in(2)) << ", expected " << shapeText(expected);

  std::vector<char> to = bytesOf(data), from = bytesOf(updates);
  Numbers strides = stridesOf(shape);
  size_t elementSize = *heddle::storedElementSize(elementOf(n.in(0)));
  size_t width = strides[length - 1] * elementSize;
  for (size_t tuple = 0; tuple * length < tuples->size(); ++tuple) {
    int64_t at = 0;
    for (int64_t j = 0; j < length; ++j) {
      int64_t index = (*tuples)[tuple * length + j];
      if (index < -shape[j] || index >= shape[j])
        return n.error() << "index " << index << " is out of range for an extent of " << shape[j];
      at += (index < 0 ? index + shape[j] : index) * strides[j];
    }
    std::copy_n(from.begin() + tuple * width, width, to.begin() + at * elementSize);
  }
  return n.yield(n.b.constant(fromBytes(cast<RankedTensorType>(n.in(0).getType()), to)));
}

} // namespace

void heddle::onnx::addScatterOps(OpTable &table) { table["ScatterND"] = {convertScatterND, 3, 3, 11}; }
