//===- OnnxRangesTest.h - a fixture for models with a range -----*- C++ -*-===//

#ifndef HEDDLE_TESTS_IMPORT_ONNXRANGESTEST_H
#define HEDDLE_TESTS_IMPORT_ONNXRANGESTEST_H

#include "OnnxBuilder.h"

#include "Notes.h"

namespace heddle {

/// A fixture for models whose input has n rows, where n lies in a range.
struct OnnxRanges : OnnxTest {
  /// Returns a model with the input `x` [n, width], the scalar tensor `n`, and the output `y`. The caller must add the
  /// nodes that compute `y`.
  OnnxBuilder open(int64_t width) {
    OnnxBuilder b;
    auto &x = b.input("x", {1, width});
    x.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param("n");
    b.ints("zero", {}, {0});
    b.ints("one", {}, {1});
    b.node("Shape", {"x"}, {"shape"});
    b.node("Gather", {"shape", "zero"}, {"n"});
    b.output("y");
    return b;
  }

  /// Imports the model with n in low..high. Returns the placeholder of n, which is the number that represents n in
  /// types, or 0 if the import fails.
  int64_t placeholderOf(const OnnxBuilder &builder, int64_t low, int64_t high) {
    options = {};
    options.ranges = {{"n", low, high}};
    mlir::FailureOr<Model> model = import(builder);
    return succeeded(model) ? notes::sizes.get(*model->module)->front().placeholder : 0;
  }
};

} // namespace heddle

#endif // HEDDLE_TESTS_IMPORT_ONNXRANGESTEST_H
