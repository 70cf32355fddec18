//===- Models.h - evaluation of ops by external models ----------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_INTERPRETER_MODELS_H
#define HEDDLE_DIALECT_INTERPRETER_MODELS_H

#include "interpreter/Interpreter.h"
#include "interpreter/Rounding.h"

#include <cmath>

namespace heddle {

// A model is an implementation of EvaluateInterface for an op, through which the interpreter evaluates the op (an
// external model in MLIR's sense). Each of these functions attaches the models of one dialect, or of a part of it, to
// the dialect's ops. The models of upstream ops are in interpreter/<Dialect>*.cpp, those of Heddle's ops in reference/.
void registerAffineModels(mlir::DialectRegistry &registry);
void registerAmxModels(mlir::DialectRegistry &registry);
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

/// Whether the evaluator rounds results of this type, or of this element type, to f32 after every operation.
inline bool roundsToF32(mlir::Type type, const Evaluator &evaluator) {
  auto floatType = llvm::dyn_cast<mlir::FloatType>(mlir::getElementTypeOrSelf(type));
  if (!floatType || evaluator.precision() == Precision::F64)
    return false;
  return floatType.getWidth() <= 32 || evaluator.precision() == Precision::Single;
}

/// Whether the evaluator computes results of this type in f32 and then rounds them to the type. This can be true only
/// for types with fewer bits than f32 (f16, bf16), and for shaped types with such elements.
inline bool roundsToNarrow(mlir::Type type, const Evaluator &evaluator) {
  return evaluator.precision() != Precision::F64 && isNarrowFloat(type);
}

/// Returns the number of bits of an integer type, or of a shaped type's elements; 64 for index.
inline unsigned integerWidth(mlir::Type type) {
  auto integer = llvm::dyn_cast<mlir::IntegerType>(mlir::getElementTypeOrSelf(type));
  return integer ? integer.getWidth() : 64;
}

/// Returns the value, as a signed or as an unsigned number, of an integer of `width` bits in the form in which a Tensor
/// stores it (sign-extended, but true of i1 as 1). The i1 value true is -1 as a signed number.
inline int64_t signedValue(int64_t value, unsigned width) { return width == 1 ? -value : value; }
inline uint64_t unsignedValue(int64_t value, unsigned width) {
  return width >= 64 ? uint64_t(value) : uint64_t(value) & ((uint64_t(1) << width) - 1);
}

/// Returns the offset, in elements, of the element at an index. Emits an error if the index is outside of the shape.
mlir::FailureOr<int64_t> elementOffset(mlir::Operation *op, llvm::ArrayRef<int64_t> shape,
                                       llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> index);
mlir::FailureOr<int64_t> elementOffset(mlir::Operation *op, llvm::ArrayRef<int64_t> shape,
                                       llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<Tensor> index);

/// Returns the numbers from 0 to count - 1 in a random order that depends on the evaluator's seed. Parallel iterations
/// run in this order, so results that depend on their order differ between seeds.
std::vector<int64_t> shuffled(int64_t count, const Evaluator &evaluator);

/// Evaluates an elementwise op on tensors with its lane function, which computes n elements at a time. Scalar operands
/// are broadcast.
mlir::LogicalResult evaluateElementwise(mlir::Operation *op, const LaneFunction &lanes, llvm::ArrayRef<Tensor> operands,
                                        llvm::SmallVectorImpl<Tensor> &results);

/// The model of an elementwise op. `decode` creates its lane function.
template <typename Op, LaneFunction (*decode)(mlir::Operation *, Evaluator &)>
struct ElementwiseModel : EvaluateInterface::ExternalModel<ElementwiseModel<Op, decode>, Op> {
  LaneFunction getLanes(mlir::Operation *op, Evaluator &evaluator) const { return decode(op, evaluator); }
  mlir::LogicalResult evaluate(mlir::Operation *op, llvm::MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                               llvm::SmallVectorImpl<Tensor> &results) const {
    return evaluateElementwise(op, decode(op, evaluator), operands, results);
  }
};

/// The model of an op that is not elementwise. `function` evaluates the op.
template <typename Op, mlir::LogicalResult (*function)(Op, llvm::MutableArrayRef<Tensor>, Evaluator &,
                                                       llvm::SmallVectorImpl<Tensor> &)>
struct OpModel : EvaluateInterface::ExternalModel<OpModel<Op, function>, Op> {
  mlir::LogicalResult evaluate(mlir::Operation *op, llvm::MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                               llvm::SmallVectorImpl<Tensor> &results) const {
    return function(llvm::cast<Op>(op), operands, evaluator, results);
  }
};

/// Returns the lane function of an op that computes `function` of one, two or three floats. Results are rounded to f32
/// if the evaluator rounds the result type.
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

/// Returns the lane function of an op on integers. The arguments of `function` are one or two stored values and their
/// width; its result is wrapped to the width of the op's result.
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

/// The model of from_elements: builds a tensor or vector from one scalar for each element.
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

/// Attaches the model of an elementwise op that computes `function` of floats (see floatLanes).
template <typename Op, auto function>
void attachFloat(mlir::MLIRContext *context) {
  Op::template attachInterface<ElementwiseModel<Op, floatLanes<function>>>(*context);
}
/// Attaches the model of an elementwise op that computes `function` of integers (see integerLanes).
template <typename Op, auto function>
void attachInteger(mlir::MLIRContext *context) {
  Op::template attachInterface<ElementwiseModel<Op, integerLanes<function>>>(*context);
}
/// Attaches the model of another elementwise op, whose lane function `decode` creates.
template <typename Op, LaneFunction (*decode)(mlir::Operation *, Evaluator &)>
void attachLanes(mlir::MLIRContext *context) {
  Op::template attachInterface<ElementwiseModel<Op, decode>>(*context);
}
/// Attaches the model of an op that is not elementwise, which `function` evaluates.
template <typename Op, auto function>
void attach(mlir::MLIRContext *context) {
  Op::template attachInterface<OpModel<Op, function>>(*context);
}

} // namespace heddle

#endif // HEDDLE_DIALECT_INTERPRETER_MODELS_H
