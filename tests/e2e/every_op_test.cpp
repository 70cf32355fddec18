//===- every_op_test.cpp - no op without meaning, lowering and tests ------===//
//
// Enumerates the registered heddle ops. A new one fails here until it has a
// reference function, a strategy, and tests of syntax, meaning and compiled code.
//
//===----------------------------------------------------------------------===//

#include "Heddle.h"
#include "heddle/Registry.h"
#include "heddle/Strategy.h"
#include "interpreter/Interpreter.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace heddle;

namespace {
struct Need {
  bool reference = true, strategy = true;
};
} // namespace

/// Ops that are no layers, and why they need less.
static Need needOf(llvm::StringRef op) {
  if (op == "weight") // becomes a view of the weights, not a loop
    return {true, false};
  if (op == "dispatch") // works on memory, past what the interpreter runs; becomes a call
    return {false, false};
  return {};
}

/// Whether a file of that folder of tests mentions `text`.
static bool isMentioned(llvm::StringRef folder, llvm::StringRef text) {
  llvm::SmallString<128> path(HEDDLE_TEST_DATA);
  llvm::sys::path::append(path, "..", folder);
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(path, error), end; it != end && !error; it.increment(error)) {
    auto buffer = llvm::MemoryBuffer::getFile(it->path());
    if (buffer && (*buffer)->getBuffer().contains(text))
      return true;
  }
  return false;
}

TEST(EveryOp, HasReferenceLoweringAndTests) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  unsigned count = 0;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "heddle")
      continue;
    ++count;
    std::string op = name.stripDialect().str(), full = "heddle." + op;
    Need need = needOf(op);
    EXPECT_TRUE(isMentioned("dialect", full) || (op == "dispatch" && isMentioned("transforms", full)))
        << "no test of the syntax of " << full << " in tests/dialect";
    if (need.reference) {
      EXPECT_TRUE(name.hasInterface<EvaluateInterface>()) << full << " has no function in dialect/reference";
      EXPECT_TRUE(isMentioned("reference", full) || isMentioned("interpreter", full))
          << "no test of the meaning of " << full << " in tests/reference";
    }
    if (need.strategy) {
      auto strategies = listStrategies(context, op);
      ASSERT_TRUE(succeeded(strategies));
      EXPECT_FALSE(strategies->empty()) << full << " has no strategy in compiler/strategies";
      EXPECT_TRUE(isMentioned("e2e", "\"" + op + " ") || isMentioned("e2e", "{\"" + op + "\""))
          << "no quoted " << op << " is compiled in tests/e2e";
    }
  }
  EXPECT_GE(count, 9u) << "the dialect's ops were not found";
}
