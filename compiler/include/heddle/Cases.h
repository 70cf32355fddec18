//===- Cases.h - cases to verify code with ----------------------*- C++ -*-===//

#ifndef HEDDLE_CASES_H
#define HEDDLE_CASES_H

#include "heddle/JudgedPositions.h"
#include "heddle/Ranges.h"
#include "heddle/Verify.h"

#include <optional>

namespace heddle {

/// The sources of inputs and of expected outputs.
struct CaseOptions {
  // The paths of .safetensors files. If `input` is "", inputs are random; if `expected` is "", outputs are compared
  // with the interpreter only.
  std::string input, expected;
  // Paths of directories with test data in ONNX's format (OnnxTestData.h), used if neither `input` nor `expected` is
  // given.
  std::vector<std::string> testData;
  uint64_t seed = 1;        // the seed of the random inputs and of the selection of sizes
  bool adversarial = false; // adds numerically hard inputs
  // The name of the input, a mask, that selects the positions to compare; "": all positions are compared. checkMask
  // (JudgedPositions.h) must have accepted the mask.
  std::string where;
};

/// One set of inputs, with those expected outputs that are known.
struct Case {
  // Empty if this is the only case, unless CaseOptions::testData provides it or adversarial cases were requested.
  std::string name;
  // The value of each input, or nothing if an optional input is absent; the expected value of each output, or nothing
  // if it is not known.
  std::vector<std::optional<Tensor>> inputs, expected;
  bool adversarial = false;
  std::optional<JudgedPositions> positions = std::nullopt; // the positions to compare; nothing for all
};

/// All cases of a model at one set of sizes.
struct PointCases {
  Point at; // the sizes, and the model imported at these sizes
  std::vector<Case> cases;
  std::vector<Reference> references; // one for each case
  /// For each case, the outputs of the model before its precision was lowered, interpreted in f64; empty for
  /// adversarial cases. The vector is empty if there is no such model.
  std::vector<llvm::SmallVector<Tensor>> inF32;
  // The values of the sizes that lie in ranges, in the order of these sizes in the interface of the code under test.
  // prepareCases sets them in the order of `at`, which is right for code compiled for the ranges of the model. A caller
  // that verifies a library with other ranges replaces them.
  SizeValues sizes;

  mlir::func::FuncOp main() const { return at.main(); }
};

/// Prepares cases at the sizes of the input file, or else at a selection of the model's sizes, with the reference
/// results of the interpreter. `inF32`, if not null, is the model before its precision was lowered to that of `model`.
/// Prints errors. If there is not enough memory, the error begins with `what`, such as "verifying model.onnx".
mlir::FailureOr<std::vector<PointCases>> prepareCases(const CaseOptions &options, const Model &model,
                                                      llvm::StringRef what, const Model *inF32 = nullptr);

} // namespace heddle

#endif // HEDDLE_CASES_H
