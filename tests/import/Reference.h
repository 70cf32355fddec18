//===- Reference.h - runs imported models in the interpreter ----*- C++ -*-===//

#ifndef HEDDLE_TESTS_IMPORT_REFERENCE_H
#define HEDDLE_TESTS_IMPORT_REFERENCE_H

#include "heddle/Import.h"
#include "heddle/Recipe.h"

#include "interpreter/Interpreter.h"

#include "gtest/gtest.h"

#include <map>
#include <string>

/// Interprets an imported model in f64, and returns the results by name, or failure if the interpreter fails. `inputs`
/// contains inputs by name. All elements of an input that is missing in `inputs` are its default, `heddle.default`.
inline mlir::FailureOr<std::map<std::string, heddle::Tensor>>
tryReference(heddle::Model &model, const std::map<std::string, heddle::Tensor> &inputs) {
  using heddle::Tensor;
  auto main = model.module->lookupSymbol<mlir::func::FuncOp>("main");
  llvm::SmallVector<Tensor> arguments;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto type = llvm::cast<mlir::RankedTensorType>(main.getArgument(i).getType());
    std::string name = main.getArgAttrOfType<mlir::StringAttr>(i, "heddle.name").getValue().str();
    if (auto given = inputs.find(name); given != inputs.end()) {
      arguments.push_back(given->second);
      continue;
    }
    auto value = main.getArgAttrOfType<mlir::IntegerAttr>(i, "heddle.default");
    EXPECT_TRUE(value) << name << " is missing";
    arguments.emplace_back(type.getShape(), type.getElementType(),
                           std::vector<int64_t>(type.getNumElements(), value ? value.getInt() : 0));
  }
  heddle::InterpreterOptions options;
  options.weights = [&](heddle::WeightOp op) -> mlir::FailureOr<Tensor> {
    auto type = llvm::cast<mlir::RankedTensorType>(op.getResult().getType());
    mlir::FailureOr<std::vector<char>> bytes = heddle::evaluateRecipe(op, model.weights);
    if (failed(bytes))
      return mlir::failure();
    return Tensor::fromBytes(type.getShape(), type.getElementType(), *bytes);
  };
  auto results = heddle::interpret(main, arguments, options);
  if (failed(results))
    return mlir::failure();
  std::map<std::string, Tensor> named;
  for (auto [i, result] : llvm::enumerate(*results))
    named[main.getResultAttrOfType<mlir::StringAttr>(i, "heddle.name").getValue().str()] = result;
  return named;
}

/// Interprets a model with inputs that were read from a file. Each input has the shape and the element type that the
/// model declares, whatever the file declares.
inline mlir::FailureOr<std::map<std::string, heddle::Tensor>> tryReference(heddle::Model &model,
                                                                           const heddle::WeightStore &inputs) {
  auto main = model.module->lookupSymbol<mlir::func::FuncOp>("main");
  std::map<std::string, heddle::Tensor> tensors;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto type = llvm::cast<mlir::RankedTensorType>(main.getArgument(i).getType());
    llvm::StringRef name = main.getArgAttrOfType<mlir::StringAttr>(i, "heddle.name").getValue();
    const heddle::StoredTensor *stored = inputs.find(name);
    if (!stored)
      continue;
    auto tensor = heddle::Tensor::fromBytes(type.getShape(), type.getElementType(), stored->bytes);
    EXPECT_TRUE(succeeded(tensor)) << name.str();
    if (failed(tensor))
      return mlir::failure();
    tensors[name.str()] = *tensor;
  }
  return tryReference(model, tensors);
}

/// Interprets a model and returns the results by name. The interpreter must not fail.
inline std::map<std::string, heddle::Tensor> runReference(heddle::Model &model, const heddle::WeightStore &inputs) {
  auto results = tryReference(model, inputs);
  EXPECT_TRUE(succeeded(results));
  return succeeded(results) ? *results : std::map<std::string, heddle::Tensor>();
}

/// Returns the largest difference between a result and a stored tensor, or NaN if a difference is NaN or shapes differ.
inline double maxError(const heddle::Tensor &tensor, const heddle::StoredTensor &expected) {
  mlir::FailureOr<heddle::Tensor> other =
      heddle::Tensor::fromBytes(expected.type.getShape(), expected.type.getElementType(), expected.bytes);
  if (failed(other) || other->shape() != tensor.shape())
    return NAN;
  double error = 0;
  for (auto [a, b] : llvm::zip(tensor.floats(), other->floats()))
    error = std::isnan(error) || std::abs(a - b) <= error ? error : std::abs(a - b);
  return error;
}

#endif // HEDDLE_TESTS_IMPORT_REFERENCE_H
