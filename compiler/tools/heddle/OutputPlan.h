//===- OutputPlan.h - the kind of output that -o selects --------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_OUTPUTPLAN_H
#define HEDDLE_TOOLS_OUTPUTPLAN_H

#include "heddle/Stages.h"

#include <optional>
#include <string>

namespace heddle {

/// The form of the output, which the extension of -o selects.
enum class OutputForm { Shared, Static, Object, DeviceCode, Stage };

/// The output of `heddle compile`.
struct OutputPlan {
  OutputForm form = OutputForm::Stage;
  Stage last = Stage::Object; // the last stage that is needed

  bool isLibrary() const { return form != OutputForm::Stage && form != OutputForm::DeviceCode; }
  /// Returns whether the output is code that needs a block of weights.
  bool hasWeights() const { return isLibrary() || (form == OutputForm::Stage && int(last) >= int(Stage::LLVMIR)); }

  /// Makes the plan from -o, --emit ("" if it is not given) and --device. If they contradict each other, prints an
  /// error and returns nothing.
  static std::optional<OutputPlan> make(llvm::StringRef output, llvm::StringRef emit, llvm::StringRef device);
};

/// Returns the kinds of file names that -o accepts, for the help text.
std::string describeOutputs();

} // namespace heddle

#endif // HEDDLE_TOOLS_OUTPUTPLAN_H
