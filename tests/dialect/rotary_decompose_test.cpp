//===- rotary_decompose_test.cpp - rotation equals its decomposition ------===//

#include "Run.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"

#include <numeric>

/// Interprets a heddle.rotary_embedding with the attributes `knobs`, and then the upstream ops into which it is
/// decomposed. Both compute in f64, so their results must be equal up to rounding errors of f64. The input has the
/// shape `shape`, "2x3x4x7" or "2x4x3x7"; the cosines and sines have the shape `angleShape`.
static void check(std::string knobs, std::string shape, llvm::ArrayRef<int64_t> angleShape) {
  Runner runner;
  std::string angles;
  llvm::raw_string_ostream(angles) << mlir::RankedTensorType::get(angleShape, mlir::Float32Type::get(&runner.context));
  std::string x = "tensor<" + shape + "xf32>";
  std::string text = "func.func @main(%x: " + x + ", %c: " + angles + ", %s: " + angles + ") -> " + x +
                     " {\n  %0 = heddle.rotary_embedding %x, %c, %s " + knobs + " : (" + x + ", " + angles + ", " +
                     angles + ") -> " + x + "\n  return %0 : " + x + "\n}";
  SCOPED_TRACE(text);
  // Returns a tensor of multiples of 1/8 from -1 to 1.75, which depend on `step`.
  auto counted = [&](llvm::ArrayRef<int64_t> shape, double step) {
    std::vector<double> values(mlir::ShapedType::getNumElements(shape));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = double(int64_t(i * step * 8) % 23) / 8 - 1;
    return runner.f32(shape, values);
  };
  llvm::SmallVector<int64_t> dims{2, shape[2] - '0', shape[4] - '0', 7};
  heddle::Tensor arguments[] = {counted(dims, 0.7), counted(angleShape, 1.3), counted(angleShape, 0.9)};
  auto expected = runner.run(text, arguments);
  ASSERT_TRUE(succeeded(expected)) << runner.errors;
  runner.module->walk([&](heddle::RotaryEmbeddingOp op) {
    mlir::IRRewriter rewriter(op);
    auto replacement = op.decomposeOperation(rewriter);
    ASSERT_TRUE(succeeded(replacement)) << runner.errors;
    rewriter.replaceOp(op, *replacement);
  });
  ASSERT_TRUE(succeeded(mlir::verify(*runner.module))) << runner.errors;
  auto actual = heddle::interpret(runner.module->lookupSymbol<mlir::func::FuncOp>("main"), arguments, runner.options);
  ASSERT_TRUE(succeeded(actual)) << runner.errors;
  expectNear((*actual)[0].floats(), (*expected)[0].floats(), 1e-12);
}

TEST(RotaryDecompose, EveryKnob) {
  check("", "2x3x4x7", {4, 3});
  check("", "2x3x4x7", {2, 4, 2});
  check("interleaved", "2x3x4x7", {4, 3});
  check("layout(bshd)", "2x4x3x7", {2, 4, 3});
  check("interleaved layout(bshd)", "2x4x3x7", {4, 2});
}
