//===- expand_math_test.cpp - how far expanded functions are from libm ----===//

#include "heddle/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/Support/TargetSelect.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace mlir;

namespace {

/// Compiles `name` of vector<8xT> through the pass and applies it in place.
class Expanded {
public:
  Expanded(StringRef name, StringRef type, StringRef attributes = "") {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    context.loadDialect<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                        memref::MemRefDialect, vector::VectorDialect>();
    registerBuiltinDialectTranslation(context);
    registerLLVMDialectTranslation(context);
    std::string source = llvm::formatv(R"(
      func.func @f(%m: !llvm.ptr) attributes {{llvm.emit_c_interface} {{
        %x = llvm.load %m {{alignment = 1} : !llvm.ptr -> vector<8x{1}>
        %y = math.{0} %x {2} : vector<8x{1}>
        llvm.store %y, %m {{alignment = 1} : vector<8x{1}>, !llvm.ptr
        return
      })", name, type, attributes).str();
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
    PassManager passes(&context);
    passes.addPass(heddle::createExpandMath());
    passes.addPass(createArithToLLVMConversionPass());
    passes.addPass(createConvertMathToLLVMPass());
    passes.addPass(createConvertVectorToLLVMPass());
    passes.addPass(createConvertFuncToLLVMPass());
    passes.addPass(createReconcileUnrealizedCastsPass());
    if (module && succeeded(passes.run(*module)))
      if (auto created = ExecutionEngine::create(*module))
        engine = std::move(*created);
  }
  bool ready() const { return engine != nullptr; }

  template <typename T>
  T operator()(T x) {
    T values[8] = {x, x, x, x, x, x, x, x};
    void *pointer = values;
    llvm::cantFail(engine->invoke("f", pointer));
    return values[3];
  }

private:
  MLIRContext context;
  std::unique_ptr<ExecutionEngine> engine;
};

constexpr float inf = std::numeric_limits<float>::infinity();
const float nan = std::numeric_limits<float>::quiet_NaN();

TEST(ExpandMath, ExpOfF32) {
  Expanded f("exp", "f32");
  ASSERT_TRUE(f.ready());
  for (float x = -87.33f; x < 88.7f; x += 0.00731f)
    ASSERT_NEAR(f(x) / std::exp(double(x)), 1.0, 2.4e-7) << x;
  EXPECT_EQ(f(0.0f), 1.0f);
  EXPECT_EQ(f(-100.0f), 0.0f);
  EXPECT_EQ(f(-inf), 0.0f);
  EXPECT_EQ(f(std::numeric_limits<float>::lowest()), 0.0f);
  EXPECT_EQ(f(89.0f), inf);
  EXPECT_EQ(f(inf), inf);
  EXPECT_TRUE(std::isnan(f(nan)));
}

TEST(ExpandMath, ExpOfWhatIsAtMostZero) {
  Expanded f("exp", "f32", "{heddle.nonpositive}");
  ASSERT_TRUE(f.ready());
  for (float x = -87.0f; x <= 0.0f; x += 0.00731f)
    ASSERT_NEAR(f(x) / std::exp(double(x)), 1.0, 2.4e-7 - 1.9e-8 * x) << x;
  EXPECT_EQ(f(0.0f), 1.0f);
  EXPECT_EQ(f(-0.0f), 1.0f);
  EXPECT_EQ(f(-100.0f), 0.0f);
  EXPECT_EQ(f(-inf), 0.0f);
  EXPECT_EQ(f(std::numeric_limits<float>::lowest()), 0.0f);
  for (float x = -89.0f; x < -87.0f; x += 0.00031f)
    ASSERT_TRUE(f(x) >= 0 && f(x) < 2e-38) << x;
  EXPECT_TRUE(std::isnan(f(nan)));
  EXPECT_TRUE(std::isnan(f(std::nanf("1"))));
}

TEST(ExpandMath, ExpOfF64) {
  Expanded f("exp", "f64");
  ASSERT_TRUE(f.ready());
  for (double x = -708.0; x < 709.7; x += 0.0731)
    ASSERT_NEAR(f(x) / std::exp(x), 1.0, 1e-15) << x;
  EXPECT_EQ(f(-double(inf)), 0.0);
  EXPECT_EQ(f(double(inf)), double(inf));
  EXPECT_TRUE(std::isnan(f(double(nan))));
}

TEST(ExpandMath, ErfOfF32) {
  Expanded f("erf", "f32");
  ASSERT_TRUE(f.ready());
  for (float x = -6.0f; x < 6.0f; x += 0.00131f)
    ASSERT_NEAR(f(x), std::erf(double(x)), 2.2e-7) << x;
  for (float x = 1.0f; x > 1e-37f; x *= 0.9f)
    ASSERT_NEAR(f(-x) / std::erf(-double(x)), 1.0, 3.1e-7) << x;
  EXPECT_EQ(f(0.0f), 0.0f);
  EXPECT_EQ(f(inf), 1.0f);
  EXPECT_EQ(f(-inf), -1.0f);
  EXPECT_TRUE(std::isnan(f(nan)));
}

TEST(ExpandMath, TanhOfF32) {
  Expanded f("tanh", "f32");
  ASSERT_TRUE(f.ready());
  for (float x = -10.0f; x < 10.0f; x += 0.00131f)
    ASSERT_NEAR(f(x), std::tanh(double(x)), 3e-7 * std::abs(std::tanh(double(x))) + 1e-12) << x;
  EXPECT_EQ(f(inf), 1.0f);
  EXPECT_EQ(f(-inf), -1.0f);
  EXPECT_TRUE(std::isnan(f(nan)));
}

} // namespace
