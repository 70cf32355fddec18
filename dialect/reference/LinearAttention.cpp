//===- LinearAttention.cpp - the meaning of heddle.linear_attention -------===//

#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

/// The feature map of a single element of query or key.
template <typename Real>
static Real feature(FeatureMap map, Real x) {
  if (map == FeatureMap::Identity)
    return x;
  return x > 0 ? x + 1 : std::exp(x);
}

namespace {
struct LinearAttentionReference {
  /// Computes scale x f(query) (f(key)^T value). With `normalized`, row i is divided by scale x f(query_i) . sum_j
  /// f(key_j).
  template <typename Real>
  static LogicalResult evaluate(LinearAttentionOp op, ArrayRef<Tensor> operands, Evaluator &,
                                SmallVectorImpl<Tensor> &results) {
    const Tensor &query = operands[0], &key = operands[1], &value = operands[2];
    unsigned rank = query.rank();
    int64_t sq = query.dim(rank - 2), skv = key.dim(rank - 2), d = query.dim(rank - 1), dv = value.dim(rank - 1);
    int64_t batch = ShapedType::getNumElements(query.shape().drop_back(2));
    Real scale = Real(op.getScale().convertToDouble());
    std::vector<Real> q = elementsOf<Real>(query), k = elementsOf<Real>(key), v = elementsOf<Real>(value);
    for (Real &x : q)
      x = scale * feature(op.getFeatureMap(), x);
    for (Real &x : k)
      x = feature(op.getFeatureMap(), x);

    std::vector<Real> result(batch * sq * dv), keyT(d * skv);
    for (int64_t b = 0; b < batch; ++b) {
      const Real *qb = q.data() + b * sq * d, *kb = k.data() + b * skv * d;
      // state = f(key)^T value; keySum is the sum of all f(key_j); norm[i] is the divisor of row i.
      std::vector<Real> state(d * dv), keySum(d), norm(sq);
      for (int64_t j = 0; j < skv; ++j)
        for (int64_t i = 0; i < d; ++i) {
          keyT[i * skv + j] = kb[j * d + i];
          keySum[i] += kb[j * d + i];
        }
      Real *rows = result.data() + b * sq * dv;
      contract(d, dv, skv, keyT.data(), v.data() + b * skv * dv, state.data());
      contract(sq, dv, d, qb, state.data(), rows);
      contract(sq, int64_t(1), d, qb, keySum.data(), norm.data());
      for (int64_t i = 0; op.getNormalized() && i < sq * dv; ++i)
        rows[i] /= norm[i / dv];
    }
    SmallVector<int64_t> shape(query.shape());
    shape.back() = dv;
    results.push_back(tensorOf<Real>(shape, query.elementType(), result));
    return success();
  }
};
} // namespace

void heddle::registerLinearAttentionReference(MLIRContext *context) {
  LinearAttentionOp::attachInterface<ReferenceModel<LinearAttentionOp, LinearAttentionReference>>(*context);
}
