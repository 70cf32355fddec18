//===- Breaks.h - simulated compiler bugs ---------------------------------===//

#ifndef HEDDLE_TESTS_E2E_BREAKS_H
#define HEDDLE_TESTS_E2E_BREAKS_H

#include "heddle/Stages.h"

#include "mlir/IR/BuiltinOps.h"

#include <ostream>

/// A simulated bug: `change` modifies the module after `stage`, or a strategy is wrong.
struct Break {
  const char *name;   // CamelCase
  const char *model;  // a quoted operation, or a path below tests/
  heddle::Stage stage;
  const char *kernel; // the kernel that StageBisect must name
  const char *says;   // text in the line that reports the bug
  bool (*change)(mlir::ModuleOp) = nullptr;     // false if there is nothing to break
  const char *strategyFor = "", *strategy = ""; // an operation, and a file in tests/verify/Inputs
};

inline std::ostream &operator<<(std::ostream &out, const Break &test) { return out << test.name; }

std::vector<Break> breaks();

#endif // HEDDLE_TESTS_E2E_BREAKS_H
