//===- Operations.h - the operations that tests try -------------*- C++ -*-===//
//
// One table. Each operation names the tests that it is for: an operation of another kind, or a knob, is added there.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TESTS_E2E_OPERATIONS_H
#define HEDDLE_TESTS_E2E_OPERATIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"

#include <string>
#include <vector>

namespace in {
enum Test : unsigned {
  Here = 1,        // compiled for this machine: layers_test
  Attentions = 2,  // the same, on masks that empty rows: attention_test
  Types = 4,       // in f16, bf16 and f64: floats_test
  Cpus = 8,        // in a library for several CPUs: variants_test
  Stages = 16,     // judged after every stage, and with each strategy: every_op_test
  Hard = 32,       // with each strategy, on inputs that are hard: adversarial_test, vulkan_strategies_test
  Rows = 64,       // at 1 to 300 rows,
  Batches = 128,   // batches of 1 to 7,
  Positions = 256, // or 1 to 300 positions by one library: ranges_test
  Guarded = 512,   // at sizes in ranges, between guard pages: guard_pages_test
};
} // namespace in

struct TestedOperation {
  const char *op;
  const char *rest; // of the quoted operation, or a module
  unsigned tests;

  bool isModule() const;
  std::string text() const;
};

llvm::ArrayRef<TestedOperation> testedOperations();
/// The texts of those for a test.
std::vector<std::string> operationsOf(in::Test test);

/// A text as the name of a test.
std::string testName(llvm::StringRef text);

/// A suite of `fixture`, whose parameter is an operation's number among those for a test, named by these.
#define INSTANTIATE_OPERATIONS(fixture, test)                                                                          \
  INSTANTIATE_TEST_SUITE_P(test, fixture, testing::Range(0u, unsigned(operationsOf(in::test).size())),                 \
                           [](const testing::TestParamInfo<unsigned> &info) {                                          \
                             return testName(operationsOf(in::test)[info.param]);                                      \
                           })

#endif // HEDDLE_TESTS_E2E_OPERATIONS_H
