//===- Run.h - interprets modules of tests ----------------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_INTERPRETER_RUN_H
#define HEDDLE_TESTS_INTERPRETER_RUN_H

#include "interpreter/Interpreter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>

/// Parses modules and interprets their @main. Error messages are collected in `errors`.
struct Runner {
  mlir::MLIRContext context;
  std::string errors; // one message on each line
  heddle::InterpreterOptions options;
  mlir::OwningOpRef<mlir::ModuleOp> module; // the module of the last run

  Runner() : context(registry(), mlir::MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
    context.getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
      errors += diagnostic.str() + "\n";
      return mlir::success();
    });
  }
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registry.insert<heddle::HeddleDialect, mlir::affine::AffineDialect, mlir::bufferization::BufferizationDialect,
                    mlir::func::FuncDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect, mlir::ub::UBDialect,
                    mlir::vector::VectorDialect>();
    heddle::registerInterpreter(registry);
    return registry;
  }

  heddle::Tensor f32(llvm::ArrayRef<int64_t> shape, std::vector<double> elements) {
    return heddle::Tensor(shape, mlir::Float32Type::get(&context), std::move(elements));
  }
  heddle::Tensor ints(llvm::ArrayRef<int64_t> shape, unsigned width, std::vector<int64_t> elements) {
    return heddle::Tensor(shape, mlir::IntegerType::get(&context, width), std::move(elements));
  }

  /// Runs @main of the module in `text` and returns its results.
  mlir::FailureOr<llvm::SmallVector<heddle::Tensor>> run(llvm::StringRef text,
                                                         llvm::ArrayRef<heddle::Tensor> arguments = {}) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return mlir::failure();
    return heddle::interpret(module->lookupSymbol<mlir::func::FuncOp>("main"), arguments, options);
  }

  /// Runs @main and returns the elements of its first result. After an error, the test fails and the result is empty.
  std::vector<double> floats(llvm::StringRef text, llvm::ArrayRef<heddle::Tensor> arguments = {}) {
    auto results = run(text, arguments);
    EXPECT_TRUE(succeeded(results)) << errors;
    return succeeded(results) ? (*results)[0].floats().vec() : std::vector<double>();
  }
  /// Like floats(), for a first result with integer elements.
  std::vector<int64_t> integers(llvm::StringRef text, llvm::ArrayRef<heddle::Tensor> arguments = {}) {
    auto results = run(text, arguments);
    EXPECT_TRUE(succeeded(results)) << errors;
    return succeeded(results) ? (*results)[0].ints().vec() : std::vector<int64_t>();
  }
};

/// Expects that corresponding elements differ by at most tolerance * (1 + |expected|). The default suits expected
/// values with 7 digits. NaN equals NaN.
inline void expectNear(llvm::ArrayRef<double> actual, llvm::ArrayRef<double> expected, double tolerance = 2e-6) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    if (std::isnan(expected[i]) || std::isinf(expected[i]))
      EXPECT_TRUE(std::isnan(expected[i]) ? std::isnan(actual[i]) : actual[i] == expected[i])
          << "element " << i << " is " << actual[i] << ", expected " << expected[i];
    else
      EXPECT_LE(std::fabs(actual[i] - expected[i]), tolerance * (1 + std::fabs(expected[i])))
          << "element " << i << " is " << actual[i] << ", expected " << expected[i];
}

#endif // HEDDLE_TESTS_INTERPRETER_RUN_H
