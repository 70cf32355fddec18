//===- aarch64_test.cpp - code for 64-bit Arm against the interpreter -----===//
//
// 50 random attentions, compiled for Neoverse N1 and called in an emulator.
//
//===----------------------------------------------------------------------===//

#include "e2e/AttentionCases.h"
#include "e2e/Compiled.h"

using namespace heddle;

constexpr unsigned numCases = 50, numGroups = 5;

/// A session that an emulator runs; null after a failure.
static std::unique_ptr<Session> compileForArm(mlir::MLIRContext &context, Model model) {
  CompileOptions options;
  options.target = {"cpu", "aarch64-linux-gnu", "neoverse-n1", ""};
  options.exportQuery = options.embedWeights = true;
  auto compiled = compileModel(std::move(model), options);
  if (failed(compiled)) {
    ADD_FAILURE() << "does not compile";
    return nullptr;
  }
  EXPECT_NE(compiled->whyNotHere, "");
  auto session = loadElsewhere(context, *compiled, HEDDLE_AARCH64_RUNNER);
  if (session)
    return std::move(*session);
  ADD_FAILURE() << llvm::toString(session.takeError());
  return nullptr;
}

using AArch64 = QuotedOperations;

TEST_P(AArch64, AgreesWithTheInterpreter) {
  auto cases = attentionCases(numCases, 2);
  for (unsigned i = GetParam(); i < numCases; i += numGroups) {
    SCOPED_TRACE("'" + cases[i].operation + "', inputs from seed " + std::to_string(cases[i].seed));
    auto model = importModel(context, cases[i].operation);
    ASSERT_TRUE(succeeded(model));
    auto main = model->module->lookupSymbol<mlir::func::FuncOp>("main");
    auto inputs = attentionInputs(main, cases[i].seed);
    auto reference = computeReference(main, inputs, weightsFrom(model->weights));
    ASSERT_TRUE(succeeded(reference));
    std::vector<std::string> names;
    for (unsigned result = 0; result < main.getNumResults(); ++result)
      names.push_back(resultName(main, result));
    std::unique_ptr<Session> session = compileForArm(context, std::move(*model));
    ASSERT_TRUE(session);
    expectRight(callWith(*session, inputs, nullptr), names, *reference);
  }
}
INSTANTIATE_TEST_SUITE_P(Random, AArch64, testing::Range(0u, numGroups));
