//===- Reference.h - helpers for reference functions ------------*- C++ -*-===//
//
// A reference function computes the results of an operation in the interpreter, according to the operation's
// definition. Most reference functions are templates over the type in which they compute: double or, if the interpreter
// computes in f32, float. The terms of a sum are added from left to right.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_REFERENCE_REFERENCE_H
#define HEDDLE_DIALECT_REFERENCE_REFERENCE_H

#include "interpreter/Contraction.h"
#include "interpreter/Models.h"

#include <cmath>

namespace heddle {

// Declares a function such as registerAttentionReference for each include in Heddle.td whose operation has a file in
// reference/. The function is defined in the file of the operation (reference/Attention.cpp) and attaches reference
// functions to operations.
#define HEDDLE_OPERATION(Stem) void register##Stem##Reference(mlir::MLIRContext *context);
#include "References.inc"
#undef HEDDLE_OPERATION

/// Returns a tensor's elements in row-major order, converted to the type of the computation.
template <typename Real>
std::vector<Real> elementsOf(const Tensor &tensor) {
  return std::vector<Real>(tensor.floats().begin(), tensor.floats().end());
}

/// Returns a tensor with these elements in row-major order.
template <typename Real>
Tensor tensorOf(llvm::ArrayRef<int64_t> shape, mlir::Type elementType, llvm::ArrayRef<Real> elements) {
  return Tensor(shape, elementType, std::vector<double>(elements.begin(), elements.end()));
}

/// Applies the activation function of a layer to one element.
template <typename Real>
Real activate(Activation activation, Real x) {
  switch (activation) {
  case Activation::None:
    return x;
  case Activation::Relu:
    return x < 0 ? Real(0) : x; // NaN stays NaN
  case Activation::Gelu:
    return x / 2 * (1 + std::erf(x / std::sqrt(Real(2))));
  case Activation::GeluTanh: {
    const Real root = std::sqrt(Real(2) / Real(3.14159265358979323846));
    return x / 2 * (1 + std::tanh(root * (x + Real(0.044715) * x * x * x)));
  }
  case Activation::Silu:
    return x / (1 + std::exp(-x));
  case Activation::Tanh:
    return std::tanh(x);
  }
  llvm_unreachable("all activations are listed");
}

/// Computes activation(input x weight + bias) + residual, with input [rows, k] and weight [k, n]. An absent bias or
/// residual is an empty array. If the magnitude of a sum of products is less than `minimum`, the sum
/// becomes zero before the bias is added.
template <typename Real>
std::vector<Real> linear(int64_t rows, int64_t n, int64_t k, llvm::ArrayRef<Real> input, llvm::ArrayRef<Real> weight,
                         llvm::ArrayRef<Real> bias, Activation activation, llvm::ArrayRef<Real> residual,
                         Real minimum = Real(0)) {
  std::vector<Real> result(rows * n, Real(0));
  contract(rows, n, k, input.data(), weight.data(), result.data());
  for (int64_t i = 0; i < rows * n; ++i) {
    if (std::abs(result[i]) < minimum)
      result[i] = Real(0);
    if (!bias.empty())
      result[i] += bias[i % n];
    result[i] = activate(activation, result[i]);
    if (!residual.empty())
      result[i] += residual[i];
  }
  return result;
}

/// Returns the elements of an optional operand; an empty vector if it is absent.
template <typename Real>
std::vector<Real> optionalElements(mlir::OperandRange operand, llvm::ArrayRef<Tensor> operands) {
  return operand.empty() ? std::vector<Real>() : elementsOf<Real>(operands[operand.getBeginOperandIndex()]);
}

/// Returns the elements of a weight, which may be packed, as [k, n]. In a packed weight [panels, k, panel], element (i,
/// j) is in row i and column j % panel of panel j / panel; in [interleaved, panels, k, panel], panel q is at [q mod
/// interleaved, q div interleaved].
template <typename Real>
std::vector<Real> weightOf(const Tensor &weight, int64_t k, int64_t n) {
  std::vector<Real> elements = elementsOf<Real>(weight);
  if (weight.rank() < 3)
    return elements;
  std::vector<Real> result(k * n);
  int64_t panel = weight.dim(weight.rank() - 1), panels = weight.dim(weight.rank() - 3);
  int64_t interleaved = weight.rank() == 4 ? weight.dim(0) : 1;
  for (int64_t column = 0; column < n; ++column) {
    int64_t number = column / panel, place = number % interleaved * panels + number / interleaved;
    for (int64_t row = 0; row < k; ++row)
      result[row * n + column] = elements[(place * k + row) * panel + column % panel];
  }
  return result;
}

/// Returns the value of an optional operand; null if it is absent.
inline const Tensor *optionalTensor(mlir::OperandRange operand, llvm::ArrayRef<Tensor> operands) {
  return operand.empty() ? nullptr : &operands[operand.getBeginOperandIndex()];
}

} // namespace heddle

namespace heddle {
/// Implements the interface through which the interpreter evaluates `Op`, with the function `template <typename Real>
/// static LogicalResult evaluate(Op, ArrayRef<Tensor>, Evaluator &, SmallVectorImpl<Tensor> &)` of the class
/// `Reference`.
template <typename Op, typename Reference>
struct ReferenceModel : EvaluateInterface::ExternalModel<ReferenceModel<Op, Reference>, Op> {
  mlir::LogicalResult evaluate(mlir::Operation *op, llvm::MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                               llvm::SmallVectorImpl<Tensor> &results) const {
    if (roundsToF32(op->getResult(0).getType(), evaluator))
      return Reference::template evaluate<float>(llvm::cast<Op>(op), operands, evaluator, results);
    return Reference::template evaluate<double>(llvm::cast<Op>(op), operands, evaluator, results);
  }
};
} // namespace heddle

#endif // HEDDLE_DIALECT_REFERENCE_REFERENCE_H
