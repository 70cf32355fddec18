//===- every_op_test.cpp - every op has a reference and a lowering --------===//
//
// Enumerates the registered heddle ops. For each op, the table in Operations.cpp must contain an operation that can be
// printed and parsed, that the interpreter evaluates, and whose compiled code agrees with the interpreter after every
// stage. Each strategy that this CPU can run, except those named ...-stream, must compile an operation of the table
// correctly. For each quoted operation, the table must have rows for all kinds of tests (IsInTheTableForEveryTest).
//
//===----------------------------------------------------------------------===//

#include "../import/TempDir.h"
#include "Compiled.h"
#include "Operations.h"

#include "Heddle.h"
#include "heddle/StageBisect.h"
#include "heddle/Strategy.h"

#include "mlir/Parser/Parser.h"

#include <map>
#include <set>

using namespace heddle;
using namespace mlir;

namespace {

/// Returns the registered ops that these tests must cover. The other ops do not occur in models at fixed sizes or are
/// not visible after a stage for CPUs: heddle.accesses exists only within stage bufferize
/// (tests/transforms/group-accesses.mlir), heddle.yield only ends a region, lowerings create exponentials, code for
/// devices contains launches, copies of tiles and the ops that order these copies (tests/targets), only code for CPUs
/// with a dot product of bytes contains heddle.lookup (tests/kinds), a constant replaces heddle.size, and heddle.sizes
/// occurs only in importers.
std::set<std::string> registeredOps(MLIRContext &context) {
  std::set<std::string> ops;
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (StringRef op = name.stripDialect();
        name.getDialectNamespace() == "heddle" && !op.ends_with("_nonpositive") &&
        !llvm::is_contained(
            {"accesses", "launch", "lookup", "yield", "size", "sizes", "tile_commit", "tile_copy", "tile_wait"}, op))
      ops.insert(op.str());
  return ops;
}

/// Returns the names of the quoted operations in the table. The value of each is the set of in::Test that run it.
std::map<std::string, unsigned> quotedOperations() {
  std::map<std::string, unsigned> operations;
  for (const TestedOperation &operation : testedOperations())
    if (!operation.isModule())
      operations[operation.op] |= operation.tests;
  return operations;
}

struct EveryOp : QuotedOperations {
  std::set<std::string> seen; // ops of the dialect that occurred in a module so far
  TempDir dir;

  /// Adds the ops of the dialect that the module contains to `seen`.
  void see(ModuleOp module) {
    module.walk([&](Operation *op) {
      if (op->getName().getDialectNamespace() == "heddle")
        seen.insert(op->getName().stripDialect().str());
    });
  }

  /// Imports the operation.
  FailureOr<Model> read(const TestedOperation &operation) {
    std::string text = operation.text();
    return importModel(context, operation.isModule() ? dir.write("model.mlir", text) : text);
  }

  /// Compiles the operation with these strategies and verifies it, also after every stage. Returns false if the
  /// strategies are not eligible.
  bool compiles(const TestedOperation &operation, std::vector<std::string> strategies) {
    std::string text = operation.text();
    auto model = read(operation);
    EXPECT_TRUE(succeeded(model)) << text;
    auto main = model->module->lookupSymbol<func::FuncOp>("main");
    auto inputs = randomInputs(main, 1);
    auto reference = computeReference(main, *inputs, weightsFrom(model->weights));
    EXPECT_TRUE(succeeded(reference)) << text;
    std::vector<std::string> names;
    for (unsigned i = 0; i < main.getNumResults(); ++i)
      names.push_back(resultName(main, i));

    CompileOptions options;
    options.strategies = std::move(strategies);
    WeightStore weights = model->weights;
    StageBisect bisect(*inputs, *reference, weights, /*seed=*/1);
    options.changeModule = [&](Stage stage, ModuleOp module) {
      see(module);
      return bisect.judge(stage, module);
    };
    std::string refusal;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      llvm::raw_string_ostream(refusal) << diagnostic << "\n";
    });
    auto compiled = compileModel(std::move(*model), options);
    if (failed(compiled)) {
      EXPECT_TRUE(StringRef(refusal).starts_with("strategy ")) << refusal; // "strategy NAME ...": not eligible
      return false;
    }
    for (const StageJudgement &judgement : bisect.judgements())
      EXPECT_TRUE(judgement.comparison.ok) << text << ": " << judgement.text();
    auto session = Session::fromObject(std::move(compiled->object), "model", std::move(compiled->weights));
    EXPECT_TRUE(bool(session));
    expectRight(callWith(**session, *inputs, executor), names, *reference);
    return true;
  }
};

TEST_F(EveryOp, PrintsRunsAndCompiles) {
  // The ops are listed before anything is compiled, because compiling loads dialects and thereby registers more ops.
  std::set<std::string> ops = registeredOps(context);
  for (const TestedOperation &operation : testedOperations()) {
    if (!(operation.tests & in::Stages))
      continue;
    SCOPED_TRACE(operation.text());
    auto model = read(operation);
    ASSERT_TRUE(succeeded(model));
    see(*model->module);
    std::string printed, again;
    llvm::raw_string_ostream(printed) << **model->module;
    OwningOpRef<ModuleOp> parsed = parseSourceString<ModuleOp>(printed, &context);
    ASSERT_TRUE(parsed) << printed;
    llvm::raw_string_ostream(again) << **parsed;
    EXPECT_EQ(printed, again);
    EXPECT_TRUE(compiles(operation, {}));
  }
  for (const std::string &op : ops)
    EXPECT_TRUE(seen.count(op)) << "no operation for Stages in Operations.cpp contains this op at any stage: " << op;
}

TEST_F(EveryOp, IsInTheTableForEveryTest) {
  for (auto [op, tests] : quotedOperations())
    for (unsigned any : {in::Here | in::Attentions, +in::Types, +in::Cpus, +in::Stages, +in::Hard,
                         in::Rows | in::Batches | in::Positions, +in::Guarded})
      EXPECT_TRUE(tests & any) << "Operations.cpp has no row of " << op << " for any of the tests (in::Test) " << any;
}

TEST_F(EveryOp, CompilesWithEachStrategy) {
  auto target = createTarget(UnknownLoc::get(&context), {});
  ASSERT_TRUE(succeeded(target));
  const TargetFacts &facts = (*target)->getFacts();
  auto quoted = quotedOperations();
  for (const std::string &op : registeredOps(context)) {
    auto strategies = listStrategies(context, op);
    ASSERT_TRUE(succeeded(strategies));
    EXPECT_EQ(!strategies->empty(), quoted.count(op) != 0) << op;
  }
  unsigned skipped = 0;
  for (auto &entry : quoted) {
    const std::string &op = entry.first;
    auto strategies = listStrategies(context, op);
    ASSERT_TRUE(succeeded(strategies));
    for (const Strategy &strategy : *strategies) {
      SCOPED_TRACE(strategy.name);
      if (strategy.target != "cpu") // tested in tests/targets
        continue;
      if (!llvm::all_of(strategy.features, [&](auto &feature) { return llvm::is_contained(facts.features, feature); })) {
        ++skipped;
        continue;
      }
      if (StringRef(strategy.name).ends_with("-stream")) // eligible only for large results: tested by streams_test
        continue;
      EXPECT_TRUE(llvm::any_of(testedOperations(), [&](const TestedOperation &operation) {
        return operation.op == op && operation.tests & in::Stages && compiles(operation, {op + "=" + strategy.name});
      })) << "the strategy is eligible for none of its operation's rows for Stages in Operations.cpp";
    }
  }
  if (skipped)
    llvm::errs() << skipped << " strategies need another CPU\n";
}

} // namespace
