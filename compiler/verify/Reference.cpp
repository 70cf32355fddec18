//===- Reference.cpp - reference results of the interpreter ---------------===//

#include "heddle/Recipe.h"
#include "heddle/Verify.h"
#include "interpreter/Footprint.h"

#include "Notes.h"

using namespace mlir;
using namespace heddle;

WeightSource heddle::weightsFrom(const WeightStore &store) {
  // MLIR stores equal attributes and types only once. Two pointers are therefore enough as the key of a weight: its
  // attributes, which contain its name and recipe, and its type.
  auto known = std::make_shared<DenseMap<std::pair<Attribute, Type>, Tensor>>();
  return [&store, known](WeightOp op) -> FailureOr<Tensor> {
    auto key = std::make_pair(Attribute(op->getAttrDictionary()), Type(op.getType()));
    auto it = known->find(key);
    if (it != known->end())
      return it->second;
    FailureOr<std::vector<char>> bytes = evaluateRecipe(op, store);
    if (failed(bytes))
      return failure();
    auto type = cast<RankedTensorType>(op.getType());
    FailureOr<Tensor> tensor = Tensor::fromBytes(type.getShape(), type.getElementType(), *bytes);
    if (succeeded(tensor))
      known->insert({key, *tensor});
    return tensor;
  };
}

FailureOr<Reference> heddle::computeReference(func::FuncOp function, ArrayRef<Tensor> inputs,
                                              const WeightSource &weights) {
  Reference reference;
  InterpreterOptions options;
  options.weights = weights;
  for (auto [precision, results] : {std::make_pair(Precision::F64, &reference.wide),
                                    std::make_pair(Precision::F32, &reference.narrow)}) {
    options.precision = precision;
    FailureOr<SmallVector<Tensor>> values = interpret(function, inputs, options);
    if (failed(values))
      return failure();
    *results = std::move(*values);
  }
  // Precision::F32 does not round f64 values, so it has no error for outputs of f64. Precision::Single rounds them to
  // f32, and its results replace these outputs.
  auto isF64 = [](Type type) { return getElementTypeOrSelf(type).isF64(); };
  if (llvm::none_of(function.getResultTypes(), isF64))
    return reference;
  options.precision = Precision::Single;
  FailureOr<SmallVector<Tensor>> single = interpret(function, inputs, options);
  if (failed(single))
    return failure();
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (isF64(type))
      reference.narrow[i] = std::move((*single)[i]);
  return reference;
}

uint64_t heddle::comparisonBytes(func::FuncOp function, uint64_t sets, uint64_t calls) {
  TypeRange arguments = function.getArgumentTypes(), results = function.getResultTypes();
  uint64_t inputs = interpretedBytes(arguments), outputs = interpretedBytes(results);
  // In bytes: `kept` is needed for the tensors of each case, and `atATime` only for the case that currently runs.
  uint64_t kept = llvm::SaturatingMultiplyAdd(uint64_t(2), outputs, inputs);
  uint64_t passed = llvm::SaturatingAdd(storedBytes(arguments), storedBytes(results));
  uint64_t atATime = std::max(peakBytes(function), llvm::SaturatingMultiplyAdd(calls, passed, outputs));
  return llvm::SaturatingMultiplyAdd(sets, kept, atATime);
}

std::string heddle::resultName(func::FuncOp function, unsigned i) {
  std::optional<StringRef> name = notes::name.getOfResult(function, i);
  return name ? name->str() : "output" + std::to_string(i);
}

std::string heddle::argumentName(func::FuncOp function, unsigned i) {
  std::optional<StringRef> name = notes::name.get(function, i);
  return name ? name->str() : "input" + std::to_string(i);
}
