//===- Expanded.h - expanded math functions ---------------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_TARGETS_MATH_EXPANDED_H
#define HEDDLE_TESTS_TARGETS_MATH_EXPANDED_H

#include "heddle/Passes.h"

#include "Heddle.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
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

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace heddle::test {

/// Compiles the operation `dialect`.`name`, with one or two operands of vector<8xT>, with the passes that expand math
/// functions and remainders, and calls the result.
class Expanded {
public:
  /// `type` is T, "f32" or "f64". If `binary` is true, the operation has two operands.
  Expanded(llvm::StringRef name, llvm::StringRef type, llvm::StringRef dialect = "math", bool binary = false) {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, heddle::HeddleDialect, mlir::LLVM::LLVMDialect,
                        mlir::math::MathDialect, mlir::memref::MemRefDialect, mlir::vector::VectorDialect>();
    mlir::registerBuiltinDialectTranslation(context);
    mlir::registerLLVMDialectTranslation(context);
    std::string source = llvm::formatv(R"(
      func.func @f(%m: !llvm.ptr) attributes {{llvm.emit_c_interface} {{
        %x = llvm.load %m {{alignment = 1} : !llvm.ptr -> vector<8x{1}>
        %n = llvm.getelementptr %m[1] : (!llvm.ptr) -> !llvm.ptr, vector<8x{1}>
        %y = llvm.load %n {{alignment = 1} : !llvm.ptr -> vector<8x{1}>
        %z = {2}.{0} %x {3} : vector<8x{1}>
        llvm.store %z, %m {{alignment = 1} : vector<8x{1}>, !llvm.ptr
        return
      })", name, type, dialect, binary ? ", %y" : "").str();
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(source, &context);
    mlir::PassManager passes(&context);
    passes.addPass(heddle::createExpandMath());
    passes.addPass(heddle::createExpandRemainders());
    passes.addPass(mlir::createSCFToControlFlowPass());
    passes.addPass(mlir::createArithToLLVMConversionPass());
    passes.addPass(mlir::createConvertMathToLLVMPass());
    passes.addPass(mlir::createConvertVectorToLLVMPass());
    passes.addPass(mlir::createConvertControlFlowToLLVMPass());
    passes.addPass(mlir::createConvertFuncToLLVMPass());
    passes.addPass(mlir::createReconcileUnrealizedCastsPass());
    if (module && mlir::succeeded(passes.run(*module)))
      if (auto created = mlir::ExecutionEngine::create(*module))
        engine = std::move(*created);
  }
  /// Returns whether the compilation succeeded.
  bool ready() const { return engine != nullptr; }

  /// Returns the result for x (and y). T must be the type of the operation.
  template <typename T>
  T operator()(T x, T y = 0) {
    T values[16];
    std::fill_n(values, 8, x);
    std::fill_n(values + 8, 8, y);
    void *pointer = values;
    llvm::cantFail(engine->invoke("f", pointer));
    return values[3]; // all eight results are equal
  }

private:
  mlir::MLIRContext context;
  std::unique_ptr<mlir::ExecutionEngine> engine;
};

/// Returns the largest relative error of `f` over f32 numbers of all exponents between `low` and `high`. A NaN in the
/// result is an infinite error.
inline double largestError(Expanded &f, double (*truth)(double), float low, float high) {
  double largest = 0;
  // The loop increments the bit pattern of x. An odd increment visits all exponents and many mantissas.
  for (int64_t word = 0; word < (int64_t(1) << 32); word += 65521) {
    float x;
    uint32_t bits = uint32_t(word);
    std::memcpy(&x, &bits, sizeof x);
    if (!(x >= low && x <= high))
      continue;
    double expected = truth(x), error = std::abs(double(f(x)) - expected) / std::abs(expected);
    if (expected == 0)
      error = f(x) == 0 ? 0 : 1;
    if (!(error <= largest))
      largest = std::isnan(error) ? INFINITY : error;
  }
  return largest;
}

/// Returns the error of a result relative to the true value, or to the smallest normal number if that is larger. The
/// error is infinite if only one of the two is NaN, if one is infinite and the other is not equal to it in type T, or
/// if the signs differ and the true value is at least the smallest normal number in magnitude. `Truth` has more digits
/// than T.
template <typename T, typename Truth>
double errorOf(T result, Truth truth) {
  constexpr T minimum = std::numeric_limits<T>::min();
  if (std::isnan(truth) || std::isnan(result))
    return std::isnan(truth) == std::isnan(result) ? 0 : INFINITY;
  if (std::isinf(T(truth)) || std::isinf(result))
    return T(truth) == result ? 0 : INFINITY;
  if (std::signbit(truth) != std::signbit(result) && std::abs(truth) >= minimum)
    return INFINITY;
  return double(std::abs(result - truth) / std::max(std::abs(truth), Truth(minimum)));
}

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

} // namespace heddle::test

#endif // HEDDLE_TESTS_TARGETS_MATH_EXPANDED_H
