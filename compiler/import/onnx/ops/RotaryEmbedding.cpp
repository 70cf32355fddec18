//===- RotaryEmbedding.cpp - the ONNX operator RotaryEmbedding ------------===//

#include "RotaryEmbedding.h"
#include "Gather.h"
#include "Heads.h"
#include "OpTable.h"
#include "SizedOperands.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

FailureOr<Value> heddle::onnx::readAngles(NodeContext &n, Value cache, Value positions, ArrayRef<Dim> expected) {
  if (!positions) {
    if (shapeOf(cache) != expected)
      return n.error() << "expected cosines and sines of shape " << shapeText(expected) << ", found "
                       << typeText(cache);
    return cache;
  }
  if (rankOf(cache) != 2 || shapeOf(cache)[1] != expected[2])
    return n.error() << "expected cosines and sines with rows of length " << expected[2].text() << ", found "
                     << typeText(cache);
  if (shapeOf(positions) != expected.take_front(2))
    return n.error() << "expected position_ids of shape " << shapeText(expected.take_front(2)) << ", found "
                     << typeText(positions);
  return gather(n, cache, positions, 0);
}

Value heddle::onnx::rotate(NodeContext &n, Value heads, Value cosine, Value sine, bool interleaved, Layout layout) {
  return RotaryEmbeddingOp::create(n.b, heads.getType(), heads, cosine, sine,
                                   interleaved ? n.b.getUnitAttr() : UnitAttr(),
                                   LayoutAttr::get(n.b.getContext(), layout));
}

namespace {

LogicalResult convertRotaryEmbedding(NodeContext &n) {
  Value x = n.in(0), input = x;
  bool interleaved = n.intAttr("interleaved", 0) != 0;
  int64_t heads = n.intAttr("num_heads", 0), rotated = n.intAttr("rotary_embedding_dim", 0);
  if (failed(n.requireFloat(x)) || failed(n.requireSameElements({x, n.in(1), n.in(2)})))
    return failure();
  if (rankOf(x) == 3) {
    FailureOr<Value> split = splitHeads(n, x, "num_heads", heads);
    if (failed(split))
      return failure();
    input = *split;
  } else if (rankOf(x) != 4) {
    return n.error() << "expected 3 or 4 dimensions, found " << typeText(x);
  }
  Layout layout = rankOf(x) == 3 ? Layout::Bshd : Layout::Bhsd;
  Shape shape = shapeOf(input);
  if (layout == Layout::Bhsd && heads != 0 && heads != shape[1])
    return n.error() << "num_heads = " << heads << " is not the number of heads of " << typeText(x);
  FailureOr<int64_t> size = requireNumber(n, shape[3], "the size of a head");
  if (failed(size))
    return failure();
  if (rotated == 0)
    rotated = *size;
  if (rotated < 0 || rotated > *size || rotated % 2 != 0)
    return n.error() << "cannot rotate " << rotated << " elements of a head of " << *size
                     << ": expected an even number of at most " << *size;
  Shape angles{shape[0], shape[layout == Layout::Bshd ? 1 : 2], rotated / 2};
  FailureOr<Value> cosine = readAngles(n, n.in(1), n.in(3), angles);
  FailureOr<Value> sine = failed(cosine) ? cosine : readAngles(n, n.in(2), n.in(3), angles);
  if (failed(sine))
    return failure();
  Value result = rotate(n, input, *cosine, *sine, interleaved, layout);
  return n.yield(n.b.reshape(result, shapeOf(x)));
}

} // namespace

void heddle::onnx::addRotaryEmbeddingOps(OpTable &table) {
  table["RotaryEmbedding"] = {convertRotaryEmbedding, 3, 4, 23};
}
