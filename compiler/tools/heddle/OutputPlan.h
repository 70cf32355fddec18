//===- OutputPlan.h - what an output's name asks for ------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_OUTPUTPLAN_H
#define HEDDLE_TOOLS_OUTPUTPLAN_H

#include "heddle/Stages.h"

#include <optional>
#include <string>

namespace heddle {

/// What the extension of -o asks for.
enum class OutputForm { Shared, Static, Object, DeviceCode, Stage };

/// What compile is to write.
struct OutputPlan {
  OutputForm form = OutputForm::Stage;
  Stage last = Stage::Object; // the last one that is needed

  bool isLibrary() const { return form != OutputForm::Stage && form != OutputForm::DeviceCode; }
  /// Whether it is code that a block of weights is made for.
  bool hasWeights() const { return isLibrary() || (form == OutputForm::Stage && int(last) >= int(Stage::LLVMIR)); }

  /// For -o, --emit ("" for none) and --device; none with a message printed where they do not fit.
  static std::optional<OutputPlan> make(llvm::StringRef output, llvm::StringRef emit, llvm::StringRef device);
};

/// The names that -o takes, for people.
std::string describeOutputs();

} // namespace heddle

#endif // HEDDLE_TOOLS_OUTPUTPLAN_H
