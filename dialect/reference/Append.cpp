//===- Append.cpp - the meaning of heddle.append --------------------------===//

#include "interpreter/Rounding.h"
#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

static LogicalResult evaluate(AppendOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                              SmallVectorImpl<Tensor> &results) {
  const Tensor &input = operands[0], &past = operands[2];
  Tensor state = operands[1];
  int64_t batch = input.dim(0), heads = input.dim(1), rows = input.dim(2), size = input.dim(3), capacity = state.dim(2);
  // A state of fewer bits holds what its type can; else the policy says how exact numbers are.
  auto type = cast<FloatType>(state.elementType());
  bool rounds = isNarrowFloat(type) && type != input.elementType();
  MutableArrayRef<double> elements = state.mutableFloats();
  for (int64_t b = 0; b < batch; ++b) {
    int64_t first = past.ints()[b];
    if (first < 0 || first > capacity - rows)
      return op.emitOpError() << "appends " << rows << " rows at " << first << ", where sequence " << b
                              << " has room for " << capacity;
    for (int64_t h = 0; h < heads; ++h) {
      const double *from = input.floats().data() + (b * heads + h) * rows * size;
      double *to = elements.data() + ((b * heads + h) * capacity + first) * size;
      std::transform(from, from + rows * size, to, [&](double x) { return rounds ? roundTo(type, x) : x; });
    }
  }
  results.push_back(std::move(state));
  return success();
}

void heddle::registerAppendReference(MLIRContext *context) { attach<AppendOp, evaluate>(context); }
