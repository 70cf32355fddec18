//===- floats_test.cpp - layers in f16, bf16 and f64 ----------------------===//
//
// Verifies operations in f16, bf16 and f64, for CPUs with and without instructions that convert f16. The parameter is
// 3 * the number of the operation + the number of the type.
//
//===----------------------------------------------------------------------===//

#include "Compiled.h"
#include "Operations.h"

using Floats = QuotedOperations;

static const char *const types[] = {"f16", "bf16", "f64"};
static const char *const cpus[] = {"native", "x86-64-v3", "x86-64"};

TEST_P(Floats, AgreeWithTheInterpreter) {
  unsigned operation = GetParam() / 3, type = GetParam() % 3;
#ifdef __x86_64__
  cpu = cpus[(operation + type) % 3];
#endif
  check(operationsOf(in::Types)[operation] + " type=" + types[type],
        [&](mlir::func::FuncOp main) { return *heddle::randomInputs(main, GetParam()); });
}
INSTANTIATE_TEST_SUITE_P(Types, Floats, testing::Range(0u, unsigned(3 * operationsOf(in::Types).size())),
                         [](const testing::TestParamInfo<unsigned> &info) {
                           return testName(operationsOf(in::Types)[info.param / 3] + " " + types[info.param % 3]);
                         });
