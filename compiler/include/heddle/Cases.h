//===- Cases.h - what code is judged on -------------------------*- C++ -*-===//

#ifndef HEDDLE_CASES_H
#define HEDDLE_CASES_H

#include "heddle/Ranges.h"
#include "heddle/Verify.h"

#include <optional>

namespace heddle {

/// Where inputs and what is expected of them come from.
struct CaseOptions {
  std::string input, expected;       // .safetensors files; "": random, and nothing but what the interpreter says
  std::vector<std::string> testData; // folders of ONNX's own tests, where neither is given
  uint64_t seed = 1;
  bool adversarial = false; // hard inputs as well
};

/// One set of inputs and what is known of the outputs.
struct Case {
  std::string name; // empty where there is but one
  std::vector<std::optional<Tensor>> inputs, expected;
  bool adversarial = false;
};

/// All cases of a model at one choice of its sizes.
struct PointCases {
  Point at;
  std::vector<Case> cases;
  std::vector<Reference> references; // of each case
  /// Of each case what the model gives that rounds nothing; empty of adversarial ones, and where there is no other
  /// model.
  std::vector<llvm::SmallVector<Tensor>> inF32;
  SizeValues sizes; // as the code that is judged takes them; of code for the same ranges, the point's

  mlir::func::FuncOp main() const { return at.main(); }
};

/// Cases at the sizes that the inputs tell, or at some of all, and what the interpreter says of them. Errors are
/// printed, among them that there is too little memory for `what`, such as "verifying model.onnx". `inF32`, if given,
/// is the model that `model` was made of, which rounds more.
mlir::FailureOr<std::vector<PointCases>> prepareCases(const CaseOptions &options, const Model &model,
                                                      llvm::StringRef what, const Model *inF32 = nullptr);

} // namespace heddle

#endif // HEDDLE_CASES_H
