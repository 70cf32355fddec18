//===- TileProduct.cpp - the meaning of heddle.tile_product ---------------===//

#include "interpreter/Buffer.h"
#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

/// Returns the number that is stored as `bits` in an operand with elements of type `element`.
static int64_t storedNumber(int64_t bits, Type element, bool isUnsigned) {
  return isUnsigned ? int64_t(unsignedValue(bits, integerWidth(element))) : bits;
}

/// Returns `result`, the initial values of the sums, plus the product of `rows` and `weight`.
static Tensor multiply(TileProductOp op, const Tensor &rows, const Tensor &weight, Tensor result, Evaluator &evaluator) {
  ProductKind kind = op.getKind();
  int64_t m = rows.dim(0), steps = rows.dim(1), depth = rows.dim(2), n = result.dim(1);
  int64_t width = weight.dim(weight.rank() - 1), panel = width / depth, lines = steps / kind.getStepsPerElement();
  bool isFloat = result.isFloat(), rounds = roundsToF32(op.getSumsType(), evaluator);
  unsigned sumBits = isFloat ? 0 : integerWidth(op.getSumsType());
  UnsignedSide side = kind.getUnsignedSide();
  MutableArrayRef<double> floats = isFloat ? result.mutableFloats() : MutableArrayRef<double>();
  MutableArrayRef<int64_t> ints = isFloat ? MutableArrayRef<int64_t>() : result.mutableInts();
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t s = 0; s < steps; ++s)
        for (int64_t t = 0; t < depth; ++t) {
          int64_t a = (i * steps + s) * depth + t;
          int64_t b = (j / panel * lines + s % lines) * width + j % panel * depth + t;
          if (isFloat) {
            double &sum = floats[i * n + j];
            sum += rows.floats()[a] * weight.floats()[b];
            sum = rounds ? double(float(sum)) : sum;
            continue;
          }
          int64_t &sum = ints[i * n + j];
          int64_t left = storedNumber(rows.ints()[a], kind.getRowsElement(), side == UnsignedSide::Rows);
          int64_t right = storedNumber(weight.ints()[b], kind.getWeightElement(), side == UnsignedSide::Weight);
          sum = wrapInteger(sum + left * kind.getWeightNumber(right, s / lines), sumBits);
        }
  return result;
}

static LogicalResult evaluateTileProduct(TileProductOp op, MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                                         SmallVectorImpl<Tensor> &results) {
  const Tensor target = operands[2];
  SmallVector<Tensor, 3> values(operands.begin(), operands.begin() + 3);
  if (target.buffer())
    for (Tensor &value : values) {
      FailureOr<Tensor> elements = value.buffer()->load(op);
      if (failed(elements))
        return failure();
      value = std::move(*elements);
    }
  if (op.getFromZero())
    values[2] = Tensor(values[2].shape(), values[2].elementType());
  Tensor result = multiply(op, values[0], values[1], std::move(values[2]), evaluator);
  if (target.buffer())
    return target.buffer()->store(op, result);
  results.push_back(std::move(result));
  return success();
}

void heddle::registerTileProductReference(MLIRContext *context) { attach<TileProductOp, evaluateTileProduct>(context); }
