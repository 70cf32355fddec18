//===- MlirTest.h - a fixture for .mlir files -------------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_IMPORT_MLIRTEST_H
#define HEDDLE_TESTS_IMPORT_MLIRTEST_H

#include "Diagnostics.h"
#include "TempDir.h"

#include "heddle/Import.h"

#include "gtest/gtest.h"

namespace heddle {

/// A fixture that imports texts as .mlir files.
struct MlirFile : testing::Test {
  TestContext context;
  TempDir dir;
  ImportOptions options; // the options of all imports
  bool wrongUsage = false; // whether the last import failed because of wrong usage

  mlir::FailureOr<Model> import(llvm::StringRef text) {
    ImportResult result = importModel(context, dir.write("model.mlir", text), options);
    wrongUsage = result.wrongUsage;
    return std::move(result);
  }

  /// Returns the imported module as a text. The import must succeed.
  std::string printed(llvm::StringRef text) {
    mlir::FailureOr<Model> model = import(text);
    EXPECT_TRUE(succeeded(model)) << context.take();
    std::string result;
    if (succeeded(model))
      llvm::raw_string_ostream(result) << **model->module;
    return result;
  }

  /// Returns the errors of an import, which must fail.
  std::string errorOf(llvm::StringRef text) {
    EXPECT_TRUE(failed(import(text)));
    return context.take();
  }

  /// Returns the error for a file with a function that has this body and the argument %x: tensor<2xf32> with these
  /// attributes.
  std::string errorIn(const std::string &body, const std::string &attributes = "") {
    return errorOf("func.func @main(%x: tensor<2xf32>" + attributes + ") -> tensor<2xf32> {\n" + body +
                   "\nreturn %x : tensor<2xf32>\n}");
  }
};

} // namespace heddle

#endif // HEDDLE_TESTS_IMPORT_MLIRTEST_H
