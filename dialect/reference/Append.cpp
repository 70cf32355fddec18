//===- Append.cpp - the meaning of heddle.append --------------------------===//

#include "interpreter/Rounding.h"
#include "reference/Reference.h"
#include "reference/RowRounding.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Converts new rows to the state's element type: by rounding to a narrower float type, or by quantization to integers
/// with a scale for each row. An element close to a rounding boundary is rounded as in `known`, if compiled code may
/// have rounded it so.
struct StateRows {
  StateRows(AppendOp op, const Tensor &input, const Tensor *known, const Evaluator &evaluator)
      : rounding(RowRoundingAttr::get(op.getContext(), IntegerType::get(op.getContext(), 8))),
        type(dyn_cast<FloatType>(getElementTypeOrSelf(op.getState()))), known(known),
        worstCaseRounding(evaluator.precision() != Precision::F64) {
    // Floats are rounded only to a type that is narrower than f32 and differs from the input's type; otherwise they are
    // stored with the precision of the computation.
    rounds = type && isNarrowFloat(type) && type != input.elementType();
  }

  /// Stores `row` in `state` from the element with the index `to` on and, if the state has integers, its scale in
  /// `scales` at the index `scale`.
  void store(ArrayRef<double> row, Tensor &state, int64_t to, int64_t scale) {
    if (!type) {
      auto there = known ? known->ints().slice(to, row.size()) : ArrayRef<int64_t>();
      scales->mutableFloats()[scale] =
          roundRowToIntegers(row, rounding, worstCaseRounding, there, state.mutableInts().slice(to, row.size()));
      return;
    }
    MutableArrayRef<double> stored = state.mutableFloats().slice(to, row.size());
    llvm::copy(row, stored.begin());
    if (rounds)
      roundRowNarrow(stored, type, worstCaseRounding,
                     known ? known->floats().slice(to, row.size()) : ArrayRef<double>());
  }

  RowRoundingAttr rounding; // the rounding of rows to integers
  FloatType type;           // the type of the state's elements; null for integers
  const Tensor *known;      // the state that compiled code stored, or null if it is unknown
  // Whether rows are rounded to `type`, and whether elements close to a rounding boundary are rounded to the other side
  // (RowRounding.h).
  bool rounds, worstCaseRounding;
  Tensor *scales = nullptr; // the scales of the state's rows; null unless the state has integers
};
} // namespace

static LogicalResult evaluateAppend(AppendOp op, MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                                    SmallVectorImpl<Tensor> &results) {
  const Tensor &input = operands[0], &past = operands[2];
  results.push_back(operands[1]);
  if (op.getScales())
    results.push_back(operands[3]);
  Tensor &state = results[0];
  int64_t batch = input.dim(0), heads = input.dim(1), rows = input.dim(2), size = input.dim(3), capacity = state.dim(2);
  const auto &storedAt = evaluator.getOptions().stored;
  StateRows stored(op, input, storedAt ? storedAt(op.getResult()) : nullptr, evaluator);
  if (op.getScales())
    stored.scales = &results[1];
  for (int64_t b = 0; b < batch; ++b) {
    int64_t first = past.ints()[b];
    if (first < 0 || first > capacity - rows)
      return op.emitOpError() << "appends " << rows << " rows to sequence " << b << " at row " << first
                              << ", but its capacity is " << capacity << " rows";
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < rows; ++i) {
        int64_t from = (b * heads + h) * rows + i, to = (b * heads + h) * capacity + first + i;
        stored.store(input.floats().slice(from * size, size), state, to * size, to);
      }
  }
  return success();
}

void heddle::registerAppendReference(MLIRContext *context) { attach<AppendOp, evaluateAppend>(context); }
