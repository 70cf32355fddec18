//===- gelu_test.cpp - error of table lookups for GELU --------------------===//
//
// On CPUs with AVX512DQ, GELU is a polynomial whose coefficients are looked up in tables (ExpandGelu.h). The test
// compares its results with 0.5 x erfc(-x / sqrt(2)) in f64: the error must be at most geluByTableError relative to
// |x|.
//
//===----------------------------------------------------------------------===//

#include "targets/cpu/ExpandGelu.h"

#include "heddle/Passes.h"

#include "Heddle.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/Support/TargetSelect.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace mlir;

static constexpr char source[] = R"(
  func.func @f(%m: !llvm.ptr) attributes {llvm.emit_c_interface} {
    %x = llvm.load %m {alignment = 1} : !llvm.ptr -> vector<16xf32>
    %root = arith.constant dense<0.707106769> : vector<16xf32>
    %half = arith.constant dense<0.5> : vector<16xf32>
    %scaled = arith.mulf %x, %root : vector<16xf32>
    %erf = math.erf %scaled fastmath<afn> : vector<16xf32>
    %halved = arith.mulf %x, %half : vector<16xf32>
    %y = vector.fma %halved, %erf, %halved : vector<16xf32>
    llvm.store %y, %m {alignment = 1} : vector<16xf32>, !llvm.ptr
    return
  })";

namespace {
/// Computes GELU of one number by a table lookup, which needs a CPU with AVX512DQ. `ready` returns false if the
/// compilation failed.
class Gelu {
public:
  Gelu() {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    context.loadDialect<arith::ArithDialect, func::FuncDialect, heddle::HeddleDialect, LLVM::LLVMDialect, math::MathDialect,
                        vector::VectorDialect>();
    registerBuiltinDialectTranslation(context);
    registerLLVMDialectTranslation(context);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
    heddle::ExpandDotsOptions options;
    options.features = {"avx512dq"};
    PassManager passes(&context);
    passes.addPass(heddle::createExpandDots(options));
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

  float operator()(float x) {
    float values[16];
    std::fill_n(values, 16, x);
    void *pointer = values;
    llvm::cantFail(engine->invoke("f", pointer));
    return values[5]; // all 16 results are equal
  }

private:
  MLIRContext context;
  std::unique_ptr<ExecutionEngine> engine;
};
} // namespace

static bool canLookUp() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512dq");
#else
  return false;
#endif
}

TEST(Gelu, ByTable) {
  if (!canLookUp())
    GTEST_SKIP() << "needs AVX512DQ";
  Gelu gelu;
  ASSERT_TRUE(gelu.ready());
  auto check = [&](float x) {
    double truth = 0.5 * x * std::erfc(-x * std::sqrt(0.5));
    ASSERT_LE(std::abs(gelu(x) - truth), heddle::geluByTableError * std::abs(x)) << x;
  };
  for (float x = -7.0f; x < 7.0f; x += 0.000131f)
    check(x);
  for (float x = 1e-30f; x < 1e30f; x *= 1.37f) {
    check(x);
    check(-x);
  }
  constexpr float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(gelu(0.0f), 0.0f);
  EXPECT_EQ(gelu(-0.0f), 0.0f);
  EXPECT_EQ(gelu(100.0f), 100.0f);
  EXPECT_EQ(gelu(-100.0f), 0.0f);
  EXPECT_EQ(gelu(inf), inf);
  EXPECT_TRUE(std::isnan(gelu(-inf))); // since -infinity / 2 + infinity / 2 is NaN
  EXPECT_TRUE(std::isnan(gelu(std::numeric_limits<float>::quiet_NaN())));
}
