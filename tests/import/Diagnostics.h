//===- Diagnostics.h - a context that collects diagnostics ------*- C++ -*-===//

#ifndef HEDDLE_TESTS_IMPORT_DIAGNOSTICS_H
#define HEDDLE_TESTS_IMPORT_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

/// A context that collects all diagnostics in `text`, each as a line without its location.
struct TestContext : mlir::MLIRContext {
  std::string text;
  TestContext() : mlir::MLIRContext(Threading::DISABLED) {
    getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
      text += diagnostic.str() + "\n";
      return mlir::success();
    });
  }
  /// Returns the collected diagnostics and clears `text`.
  std::string take() { return std::exchange(text, ""); }
};

#endif // HEDDLE_TESTS_IMPORT_DIAGNOSTICS_H
