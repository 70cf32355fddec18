//===- Breaks.h - simulated compiler bugs ---------------------------------===//

#ifndef HEDDLE_TESTS_E2E_BREAKS_H
#define HEDDLE_TESTS_E2E_BREAKS_H

#include "heddle/Stages.h"

#include "mlir/IR/BuiltinOps.h"

#include <ostream>

/// A simulated bug: either `change` modifies the module after `stage`, or a wrong strategy lowers an operation.
/// StageBisect, which compares the results of each kernel after each stage with the reference, must find the bug.
struct Break {
  const char *name;   // the name of the test
  const char *model;  // a quoted operation, or a path below tests/
  heddle::Stage stage;
  const char *kernel; // the kernel that StageBisect must name
  const char *says;   // text that StageBisect's message about the bug must contain
  bool (*change)(mlir::ModuleOp) = nullptr; // returns false if the module has nothing to change
  // The operation that the wrong strategy lowers, and the strategy's file in tests/verify/Inputs; else empty.
  const char *strategyFor = "", *strategy = "";
};

inline std::ostream &operator<<(std::ostream &out, const Break &test) { return out << test.name; }

/// Returns all simulated bugs.
std::vector<Break> breaks();

#endif // HEDDLE_TESTS_E2E_BREAKS_H
