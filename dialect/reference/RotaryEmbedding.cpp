//===- RotaryEmbedding.cpp - the meaning of heddle.rotary_embedding -------===//

#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

namespace {
struct RotaryEmbeddingReference {
  template <typename Real>
  static LogicalResult evaluate(RotaryEmbeddingOp op, ArrayRef<Tensor> operands, Evaluator &,
                                SmallVectorImpl<Tensor> &results) {
    const Tensor &input = operands[0];
    std::vector<Real> x = elementsOf<Real>(input), cosine = elementsOf<Real>(operands[1]);
    std::vector<Real> sine = elementsOf<Real>(operands[2]);
    unsigned sequence = op.getLayout() == Layout::Bhsd ? 2 : 1;
    int64_t d = input.dim(3), pairs = operands[1].shape().back();

    // Whether the angles of a position differ between batch entries.
    bool perBatch = operands[1].rank() == 3;
    // For each head of each position: `start` is the offset of its first element, `row` the row of its angles.
    forEachIndex(input.shape().drop_back(), [&, start = int64_t(0)](ArrayRef<int64_t> index) mutable {
      int64_t row = (perBatch ? index[0] * input.dim(sequence) : 0) + index[sequence];
      for (int64_t i = 0; i < pairs; ++i) {
        Real &first = x[start + (op.getInterleaved() ? 2 * i : i)];
        Real &second = x[start + (op.getInterleaved() ? 2 * i + 1 : i + pairs)];
        Real c = cosine[row * pairs + i], s = sine[row * pairs + i];
        Real rotated = first * c - second * s;
        second = second * c + first * s;
        first = rotated;
      }
      start += d;
    });
    results.push_back(tensorOf<Real>(input.shape(), input.elementType(), x));
    return success();
  }
};
} // namespace

void heddle::registerRotaryEmbeddingReference(MLIRContext *context) {
  RotaryEmbeddingOp::attachInterface<ReferenceModel<RotaryEmbeddingOp, RotaryEmbeddingReference>>(*context);
}
