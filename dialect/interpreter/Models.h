//===- Models.h - helpers for models of upstream ops ------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_INTERPRETER_MODELS_H
#define HEDDLE_DIALECT_INTERPRETER_MODELS_H

#include "interpreter/Interpreter.h"
#include "interpreter/Rounding.h"

#include <cmath>

namespace heddle {

// Each upstream dialect has its models in <Dialect>.cpp; Heddle's own ops have them in reference/.
void registerAffineModels(mlir::DialectRegistry &registry);
void registerArithModels(mlir::DialectRegistry &registry);
void registerBufferizationModels(mlir::DialectRegistry &registry);
void registerFuncModels(mlir::DialectRegistry &registry);
void registerLinalgModels(mlir::DialectRegistry &registry);
void registerLinalgOtherModels(mlir::DialectRegistry &registry); // linalg ops without a body
void registerMathModels(mlir::DialectRegistry &registry);
void registerMemRefModels(mlir::DialectRegistry &registry);
void registerMemRefViewModels(mlir::DialectRegistry &registry);
void registerReferenceModels(mlir::DialectRegistry &registry);
void registerScfModels(mlir::DialectRegistry &registry);
void registerTensorModels(mlir::DialectRegistry &registry);
void registerTensorSliceModels(mlir::DialectRegistry &registry);
void registerVectorMemoryModels(mlir::DialectRegistry &registry);
void registerVectorModels(mlir::DialectRegistry &registry);
void registerVectorReductionModels(mlir::DialectRegistry &registry);
void registerVectorTransferModels(mlir::DialectRegistry &registry);

/// Whether floats of this type are rounded to f32 after every operation.
inline bool roundsToF32(mlir::Type type, const Evaluator &evaluator) {
  auto floatType = llvm::dyn_cast<mlir::FloatType>(mlir::getElementTypeOrSelf(type));
  if (!floatType || evaluator.precision() == Precision::F64)
    return false;
  return floatType.getWidth() <= 32 || evaluator.precision() == Precision::Single;
}

/// Whether results of this type, which are computed in f32, are then rounded to the type.
inline bool roundsToNarrow(mlir::Type type, const Evaluator &evaluator) {
  return evaluator.precision() != Precision::F64 && isNarrowFloat(type);
}

/// The bits of an integer (or of a tensor's integers); index has 64.
inline unsigned integerWidth(mlir::Type type) {
  auto integer = llvm::dyn_cast<mlir::IntegerType>(mlir::getElementTypeOrSelf(type));
  return integer ? integer.getWidth() : 64;
}

/// The stored value as a signed or an unsigned number of `width` bits. (i1 true is -1 or 1.)
inline int64_t signedValue(int64_t value, unsigned width) { return width == 1 ? -value : value; }
inline uint64_t unsignedValue(int64_t value, unsigned width) {
  return width >= 64 ? uint64_t(value) : uint64_t(value) & ((uint64_t(1) << width) - 1);
}

/// Returns the offset of the element at an index; emits an error if the index is outside of the shape.
mlir::FailureOr<int64_t> elementOffset(mlir::Operation *op, llvm::ArrayRef<int64_t> shape,
                                       llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> index);
mlir::FailureOr<int64_t> elementOffset(mlir::Operation *op, llvm::ArrayRef<int64_t> shape,
                                       llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<Tensor> index);

/// The numbers below `count` in a random order that depends on the evaluator's seed, so that results that depend on the
/// order differ between seeds.
std::vector<int64_t> shuffled(int64_t count, const Evaluator &evaluator);

/// Runs an elementwise op on tensors through its lanes; scalar operands are broadcast.
mlir::LogicalResult evaluateElementwise(mlir::Operation *op, const LaneFunction &lanes, llvm::ArrayRef<Tensor> operands,
                                        llvm::SmallVectorImpl<Tensor> &results);

/// The model of an elementwise op, given by a function that decodes the op.
template <typename Op, LaneFunction (*decode)(mlir::Operation *, Evaluator &)>
struct ElementwiseModel : EvaluateInterface::ExternalModel<ElementwiseModel<Op, decode>, Op> {
  LaneFunction getLanes(mlir::Operation *op, Evaluator &evaluator) const { return decode(op, evaluator); }
  mlir::LogicalResult evaluate(mlir::Operation *op, llvm::MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                               llvm::SmallVectorImpl<Tensor> &results) const {
    return evaluateElementwise(op, decode(op, evaluator), operands, results);
  }
};

/// The model of any other op, given by a function that evaluates it.
template <typename Op, mlir::LogicalResult (*function)(Op, llvm::MutableArrayRef<Tensor>, Evaluator &,
                                                       llvm::SmallVectorImpl<Tensor> &)>
struct OpModel : EvaluateInterface::ExternalModel<OpModel<Op, function>, Op> {
  mlir::LogicalResult evaluate(mlir::Operation *op, llvm::MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                               llvm::SmallVectorImpl<Tensor> &results) const {
    return function(llvm::cast<Op>(op), operands, evaluator, results);
  }
};

/// Lanes of a function of one, two or three floats, rounded as the result type requires.
template <auto function>
LaneFunction floatLanes(mlir::Operation *op, Evaluator &evaluator) {
  auto lanes = [](auto round) -> LaneFunction {
    return [round](llvm::ArrayRef<Column> in, llvm::ArrayRef<Column> out, int64_t n) {
      double *result = out[0].floats;
      for (int64_t i = 0; i < n; ++i)
        if constexpr (std::is_invocable_v<decltype(function), double>)
          result[i] = round(function(in[0].floats[i]));
        else if constexpr (std::is_invocable_v<decltype(function), double, double>)
          result[i] = round(function(in[0].floats[i], in[1].floats[i]));
        else
          result[i] = round(function(in[0].floats[i], in[1].floats[i], in[2].floats[i]));
      return mlir::success();
    };
  };
  if (roundsToF32(op->getResult(0).getType(), evaluator))
    return lanes([](double x) { return double(float(x)); });
  return lanes([](double x) { return x; });
}

/// Lanes of an integer function of stored values and the operands' width, wrapped to the result's width.
template <auto function>
LaneFunction integerLanes(mlir::Operation *op, Evaluator &) {
  unsigned width = integerWidth(op->getOperand(0).getType());
  unsigned resultWidth = integerWidth(op->getResult(0).getType());
  return [=](llvm::ArrayRef<Column> in, llvm::ArrayRef<Column> out, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      if constexpr (std::is_invocable_v<decltype(function), int64_t, unsigned>)
        out[0].ints[i] = wrapInteger(function(in[0].ints[i], width), resultWidth);
      else
        out[0].ints[i] = wrapInteger(function(in[0].ints[i], in[1].ints[i], width), resultWidth);
    return mlir::success();
  };
}

/// Builds a tensor or vector from one scalar for each element.
template <typename Op>
mlir::LogicalResult fromElements(Op op, llvm::MutableArrayRef<Tensor> operands, Evaluator &,
                                 llvm::SmallVectorImpl<Tensor> &results) {
  Tensor result = Tensor::uninitialized(op.getType().getShape(), op.getType().getElementType());
  for (auto [i, operand] : llvm::enumerate(operands))
    if (result.isFloat())
      result.mutableFloats()[i] = operand.floats()[0];
    else
      result.mutableInts()[i] = operand.ints()[0];
  results.push_back(std::move(result));
  return mlir::success();
}

/// Shorthands that attach the models above.
template <typename Op, auto function>
void attachFloat(mlir::MLIRContext *context) {
  Op::template attachInterface<ElementwiseModel<Op, floatLanes<function>>>(*context);
}
template <typename Op, auto function>
void attachInteger(mlir::MLIRContext *context) {
  Op::template attachInterface<ElementwiseModel<Op, integerLanes<function>>>(*context);
}
template <typename Op, LaneFunction (*decode)(mlir::Operation *, Evaluator &)>
void attachLanes(mlir::MLIRContext *context) {
  Op::template attachInterface<ElementwiseModel<Op, decode>>(*context);
}
template <typename Op, auto function>
void attach(mlir::MLIRContext *context) {
  Op::template attachInterface<OpModel<Op, function>>(*context);
}

} // namespace heddle

#endif // HEDDLE_DIALECT_INTERPRETER_MODELS_H
