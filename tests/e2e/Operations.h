//===- Operations.h - table of tested operations ----------------*- C++ -*-===//
//
// Each row of the table is an operation with the tests that run it. A new operation or knob needs a row.
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
/// The tests that may run an operation, and their files in tests/e2e or tests/targets.
enum Test : unsigned {
  Here = 1,        // compiled for this machine: layers_test
  Attentions = 2,  // compiled for this machine, with masks that remove all keys of a query: attention_test
  Types = 4,       // in f16, bf16 and f64: floats_test
  Cpus = 8,        // in a library for several CPUs: variants_test
  Stages = 16,     // verified after every stage, and with each strategy: every_op_test
  // With each strategy, on the inputs of `heddle verify --adversarial`: adversarial_test, vulkan_strategies_test,
  // cuda_strategies_test.
  Hard = 32,
  Rows = 64,       // with one library for 1 to 300 rows: ranges_test
  Batches = 128,   // with one library for batch sizes 1 to 7: ranges_test
  Positions = 256, // with one library for 1 to 300 positions: ranges_test
  Guarded = 512,   // at sizes in ranges, with memory between guard pages: guard_pages_test
};
} // namespace in

struct TestedOperation {
  const char *op;   // the name of a quoted operation, or the kind of kernels that a strategy lowers
  const char *rest; // the knobs of the quoted operation, or the text of a module
  unsigned tests;   // a set of in::Test

  /// Whether `rest` is the text of a module.
  bool isModule() const;
  /// Returns the quoted operation or the text of the module.
  std::string text() const;
};

/// Returns the rows of the table.
llvm::ArrayRef<TestedOperation> testedOperations();
/// Returns the texts of the operations for a test.
std::vector<std::string> operationsOf(in::Test test);

/// Converts a text to the name of a test: replaces all characters except letters and digits by '_'.
std::string testName(llvm::StringRef text);

/// Instantiates a suite of `fixture` for the operations of a test. The parameter is the number of an operation in
/// operationsOf(test), and the name of the test contains the operation.
#define INSTANTIATE_OPERATIONS(fixture, test)                                                                          \
  INSTANTIATE_TEST_SUITE_P(test, fixture, testing::Range(0u, unsigned(operationsOf(in::test).size())),                 \
                           [](const testing::TestParamInfo<unsigned> &info) {                                          \
                             return testName(operationsOf(in::test)[info.param]);                                      \
                           })

#endif // HEDDLE_TESTS_E2E_OPERATIONS_H
