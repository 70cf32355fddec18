//===- OutputPlan.h - the kind of output that -o selects --------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_OUTPUTPLAN_H
#define HEDDLE_TOOLS_OUTPUTPLAN_H

#include "heddle/Stages.h"

#include <optional>
#include <string>

namespace heddle {

/// The form of the output, which the extension of -o selects: a library (.so, .a or .o), device code (such as .ptx), or
/// the text of a stage (.mlir, .ll or .s; with --emit, also any unknown extension).
enum class OutputForm { Shared, Static, Object, DeviceCode, Stage };

/// The output of `heddle compile`.
struct OutputPlan {
  OutputForm form = OutputForm::Stage;
  Stage last = Stage::Object; // the last stage that is executed

  bool isLibrary() const { return form != OutputForm::Stage && form != OutputForm::DeviceCode; }
  /// Returns whether the output is code that needs a block of weights.
  bool hasWeights() const { return isLibrary() || (form == OutputForm::Stage && int(last) >= int(Stage::LLVMIR)); }

  /// Makes the plan from the values of -o, --emit ("" if it is not given) and --device. If these options are invalid or
  /// contradict each other, prints an error and returns nullopt.
  static std::optional<OutputPlan> make(llvm::StringRef output, llvm::StringRef emit, llvm::StringRef device);
};

/// Returns the description of -o for the help text, which lists the accepted extensions.
std::string describeOutputs();

} // namespace heddle

#endif // HEDDLE_TOOLS_OUTPUTPLAN_H
