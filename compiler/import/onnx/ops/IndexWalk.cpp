//===- IndexWalk.cpp - indices that form a slice --------------------------===//

#include "IndexWalk.h"

using namespace mlir;
using namespace heddle::onnx;

std::optional<IndexWalk> heddle::onnx::findWalk(ArrayRef<int64_t> indices, ArrayRef<int64_t> shape) {
  IndexWalk walk;
  walk.spread = Shape(shape.begin(), shape.end());
  if (indices.empty())
    return walk;
  // Assumes that the indices do not change along a dimension if its second index is equal to its first. The loop below
  // verifies all indices.
  Numbers strides = stridesOf(shape), spread(shape);
  int64_t start = indices.front(), count = 1;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] > 1 && indices[strides[dim]] == start)
      spread[dim] = 1;
    count *= spread[dim];
  }
  // The index at each position must be start + step * n, where n is the row-major number of the position if only the
  // dimensions along which indices change are counted.
  Numbers numbers = stridesOf(spread);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (spread[dim] == 1)
      numbers[dim] = 0;
  bool fits = true, known = false;
  const int64_t *next = indices.begin();
  forEachIndex(shape, [&](ArrayRef<int64_t> at) {
    int64_t number = 0;
    for (auto [i, stride] : llvm::zip_equal(at, numbers))
      number += i * stride;
    int64_t index = *next++;
    if (number == 1 && !known) {
      walk.step = index - start;
      known = true;
    }
    fits &= walk.step > 0 && index == start + number * walk.step;
  });
  walk.start = start;
  walk.count = count;
  walk.spread.assign(spread.begin(), spread.end());
  return fits ? std::optional<IndexWalk>(walk) : std::nullopt;
}

std::optional<IndexWalk> heddle::onnx::findWalk(const heddle::SizedTensor &indices) {
  std::optional<heddle::SizeExpression> formula = indices.formula();
  if (!formula)
    return std::nullopt;
  SmallVector<heddle::SizeExpression> first(indices.shape.size(), heddle::SizeExpression(0));
  IndexWalk walk;
  walk.start = formula->withPlaces(first);
  walk.count = 1;
  walk.spread = Shape(indices.shape.size(), 1);
  heddle::SizeExpression rest = *formula - walk.start.asExpression();
  if (rest == heddle::SizeExpression(0))
    return walk;
  SmallVector<unsigned> places = rest.places();
  auto factors = rest.factors();
  if (places.size() != 1 || rest != heddle::SizeExpression::place(places[0]) * factors.number || factors.number <= 0)
    return std::nullopt;
  walk.step = factors.number;
  walk.count = walk.spread[places[0]] = indices.shape[places[0]];
  return walk;
}
