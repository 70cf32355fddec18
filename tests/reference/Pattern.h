//===- Pattern.h - operands for comparisons with NumPy ----------*- C++ -*-===//

#ifndef HEDDLE_TESTS_REFERENCE_PATTERN_H
#define HEDDLE_TESTS_REFERENCE_PATTERN_H

#include "Run.h"

/// Returns a tensor whose element i is ((i a + b) mod 11 - 5) / 4, which is exact in every float type. In NumPy it is
/// ((numpy.arange(n) * a + b) % 11 - 5) / 4.
inline heddle::Tensor pattern(Runner &runner, llvm::ArrayRef<int64_t> shape, int64_t a, int64_t b = 3) {
  heddle::Tensor tensor = runner.f32(shape, std::vector<double>(mlir::ShapedType::getNumElements(shape)));
  for (auto [i, value] : llvm::enumerate(tensor.mutableFloats()))
    value = (int64_t(i * a + b) % 11 - 5) / 4.0;
  return tensor;
}

/// Interprets one operation of the dialect and returns the elements of its result number `result`. `text` is the
/// operation without its type; its operands are named %a0, %a1, and so on. All results have the element type of the
/// first operand. If the interpreter fails, the test fails and the result is empty.
inline std::vector<double> runOp(Runner &runner, std::string text, llvm::ArrayRef<heddle::Tensor> operands,
                                 llvm::ArrayRef<llvm::ArrayRef<int64_t>> resultShapes, unsigned result = 0) {
  std::string module;
  llvm::raw_string_ostream stream(module);
  auto types = [&] { llvm::interleaveComma(operands, stream, [&](auto &o) { stream << o.tensorType(); }); };
  auto results = [&] {
    stream << "(";
    llvm::interleaveComma(resultShapes, stream, [&](llvm::ArrayRef<int64_t> shape) {
      stream << mlir::RankedTensorType::get(shape, operands[0].elementType());
    });
    stream << ")";
  };
  stream << "func.func @main(";
  for (auto [i, operand] : llvm::enumerate(operands))
    stream << (i ? ", %" : "%") << "a" << i << ": " << operand.tensorType();
  stream << ") -> ";
  results();
  stream << " {\n  %r:" << resultShapes.size() << " = " << text << " : (";
  types();
  stream << ") -> ";
  results();
  stream << "\n  return ";
  for (unsigned i = 0; i < resultShapes.size(); ++i)
    stream << (i ? ", " : "") << "%r#" << i;
  stream << " : ";
  llvm::interleaveComma(resultShapes, stream, [&](llvm::ArrayRef<int64_t> shape) {
    stream << mlir::RankedTensorType::get(shape, operands[0].elementType());
  });
  stream << "\n}";
  auto values = runner.run(module, operands);
  EXPECT_TRUE(succeeded(values)) << runner.errors << module;
  return succeeded(values) ? (*values)[result].floats().vec() : std::vector<double>();
}

#endif // HEDDLE_TESTS_REFERENCE_PATTERN_H
