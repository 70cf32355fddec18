//===- RotaryEmbedding.cpp - ONNX Runtime's RotaryEmbedding ---------------===//

#include "../RotaryEmbedding.h"
#include "../Heads.h"
#include "../SizedOperands.h"
#include "OpTable.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

namespace {

LogicalResult convertRotaryEmbedding(NodeContext &n) {
  Value x = n.in(0), positions = n.in(1), cosine = n.in(2), sine = n.in(3), input = x;
  bool interleaved = n.intAttr("interleaved", 0) != 0;
  int64_t heads = n.intAttr("num_heads", 0), rotated = n.intAttr("rotary_embedding_dim", 0);
  if (n.intAttr("is_packed_batching", 0) != 0)
    return n.error() << "is_packed_batching is not supported";
  if (n.floatAttr("scale", 1) != 1)
    return n.error() << "scale is not supported";
  if (failed(n.requireFloat(x)) || failed(n.requireSameElements({x, cosine, sine})) ||
      failed(n.requireInteger(positions)))
    return failure();
  if (rankOf(cosine) != 2 || (rankOf(x) != 3 && rankOf(x) != 4))
    return n.error() << "expected 3 or 4 dimensions and tables of 2, found " << typeText(x) << " and "
                     << typeText(cosine);
  FailureOr<int64_t> columns = requireNumber(n, shapeOf(cosine)[1], "the number of angles");
  FailureOr<int64_t> width =
      failed(columns) ? columns : requireNumber(n, shapeOf(x).back(), "the last dimension of the input");
  if (failed(width))
    return failure();
  int64_t half = *columns;
  Layout layout = rankOf(x) == 3 ? Layout::Bshd : Layout::Bhsd;
  if (layout == Layout::Bshd) {
    if (heads == 0 && half > 0)
      heads = *width / (2 * half);
    FailureOr<Value> split = splitHeads(n, x, "num_heads", heads);
    if (failed(split))
      return failure();
    input = *split;
  }
  Shape shape = shapeOf(input);
  if ((rotated != 0 && rotated != 2 * half) || 2 * half > shape[3])
    return n.error() << "tables of " << half << " angles do not fit heads of " << shape[3].text();
  Shape angles{shape[0], shape[layout == Layout::Bshd ? 1 : 2], half};
  if (shapeOf(positions) == Shape{1}) { // `positions` contains only the position of the first token
    Dim rows = shapeOf(cosine)[0];
    if (rows < angles[1])
      return n.error() << "tables of " << rows.text() << " positions do not fit " << angles[1].text();
    n.ranges.narrow(positions, 0, rows - angles[1]);
    Value count = onnx::positions(n.b, {1, angles[1]}, 1);
    Value first = n.b.reshape(n.b.castTo(positions, n.b.getI64Type()), {1, 1});
    positions = n.b.broadcast(n.b.add(first, count), {angles[0], angles[1]});
  }
  FailureOr<Value> cosines = readAngles(n, cosine, positions, angles);
  FailureOr<Value> sines = failed(cosines) ? cosines : readAngles(n, sine, positions, angles);
  if (failed(sines))
    return failure();
  return n.yield(n.b.reshape(rotate(n, input, *cosines, *sines, interleaved, layout), shapeOf(x)));
}

} // namespace

void heddle::onnx::addOnnxRuntimeRotaryEmbedding(OpTable &table) {
  table["RotaryEmbedding"] = {convertRotaryEmbedding, 4, 4};
}
