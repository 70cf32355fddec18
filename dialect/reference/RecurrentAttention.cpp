//===- RecurrentAttention.cpp - the meaning of heddle.recurrent_attention -===//

#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

namespace {
struct RecurrentAttentionReference {
  template <typename Real>
  static LogicalResult evaluate(RecurrentAttentionOp op, ArrayRef<Tensor> operands, Evaluator &,
                                SmallVectorImpl<Tensor> &results) {
    std::vector<Real> query = elementsOf<Real>(operands[0]), key = elementsOf<Real>(operands[1]),
                      value = elementsOf<Real>(operands[2]),
                      decay = optionalElements<Real>(op.getODSOperands(3), operands),
                      beta = optionalElements<Real>(op.getODSOperands(4), operands),
                      states = optionalElements<Real>(op.getODSOperands(5), operands);
    int64_t batch = operands[1].dim(0), positions = operands[1].dim(1), heads = operands[1].dim(2);
    int64_t d = operands[1].dim(3), dv = operands[2].dim(3), sharing = operands[0].dim(2) / heads;
    int64_t rows = batch * positions * heads;
    int64_t decays = rows ? decay.size() / rows : 0;                  // 0 without decay, otherwise its last dimension
    int64_t betaHeads = rows ? beta.size() / (batch * positions) : 0; // 0 without beta, otherwise 1 or the heads
    Real scale = Real(op.getScale().convertToDouble());

    states.resize(batch * heads * d * dv);
    std::vector<Real> result(rows * sharing * dv), update(dv);
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t h = 0; h < heads; ++h) {
        Real *state = states.data() + (b * heads + h) * d * dv;
        for (int64_t position = b * positions; position < (b + 1) * positions; ++position) {
          int64_t row = position * heads + h;
          for (int64_t i = 0; decays && i < d * dv; ++i)
            state[i] *= std::exp(decay[row * decays + (decays == 1 ? 0 : i / dv)]);
          llvm::copy(ArrayRef(value).slice(row * dv, dv), update.begin());
          // The delta rule: update = beta x (value - key x state).
          if (betaHeads) {
            std::vector<Real> known(dv); // the value that the state predicts for the key
            contract(int64_t(1), dv, d, key.data() + row * d, state, known.data());
            Real rate = beta[position * betaHeads + (betaHeads == 1 ? 0 : h)];
            for (int64_t j = 0; j < dv; ++j)
              update[j] = rate * (update[j] - known[j]);
          }
          contract(d, dv, int64_t(1), key.data() + row * d, update.data(), state);
          Real *into = result.data() + row * sharing * dv;
          contract(sharing, dv, d, query.data() + row * sharing * d, state, into);
          for (int64_t i = 0; i < sharing * dv; ++i)
            into[i] *= scale;
        }
      }
    Type type = operands[0].elementType();
    results.push_back(tensorOf<Real>({batch, positions, heads * sharing, dv}, type, result));
    results.push_back(tensorOf<Real>({batch, heads, d, dv}, type, states));
    return success();
  }
};
} // namespace

void heddle::registerRecurrentAttentionReference(MLIRContext *context) {
  RecurrentAttentionOp::attachInterface<ReferenceModel<RecurrentAttentionOp, RecurrentAttentionReference>>(*context);
}
