//===- Diagnostics.h - keeps what would be printed --------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_IMPORT_DIAGNOSTICS_H
#define HEDDLE_TESTS_IMPORT_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

/// A context whose errors end up in `text`, one per line, without locations.
struct TestContext : mlir::MLIRContext {
  std::string text;
  TestContext() : mlir::MLIRContext(Threading::DISABLED) {
    getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
      text += diagnostic.str() + "\n";
      return mlir::success();
    });
  }
  /// The errors so far, then none.
  std::string take() { return std::exchange(text, ""); }
};

#endif // HEDDLE_TESTS_IMPORT_DIAGNOSTICS_H
