//===- every_op_test.cpp - no op without meaning and lowering -------------===//
//
// Enumerates the registered heddle ops. A new one fails here until it has a sample below
// that prints and parses, that the interpreter evaluates, and that compiles to the same
// results, after every stage and with every strategy that this CPU can run.
//
//===----------------------------------------------------------------------===//

#include "Compiled.h"

#include "Heddle.h"
#include "heddle/StageBisect.h"
#include "heddle/Strategy.h"

#include "mlir/Parser/Parser.h"

using namespace heddle;
using namespace mlir;

namespace {

struct Sample {
  const char *op;
  std::vector<const char *> models; // each strategy takes one of them
};

const Sample samples[] = {
    {"attention",
     {"attention b=1 hq=2 s=33 d=16", "attention b=1 hq=4 hkv=2 sq=1 skv=65 d=16 causal=lower_right",
      "attention b=1 hq=2 s=17 d=16 weights=1", "attention b=1 hq=4 s=12 d=4 layout=bshd"}},
    {"checked_index", {HEDDLE_TEST_DATA "/checked-index.mlir"}},
    {"dispatch", {"linear m=64 n=96 k=64"}},
    {"ffn",
     {"ffn m=17 k=39 h=33 bias=1 residual=1", "ffn m=17 k=39 h=33 weights=constant",
      "ffn m=320 k=39 h=33 weights=constant"}},
    {"layer_norm", {"layer_norm rows=17 d=39"}},
    {"linear",
     {"linear m=17 n=33 k=39 bias=1 weights=constant", "linear m=17 n=33 k=39",
      "linear m=320 n=33 k=39 weights=constant"}},
    {"linear_attention", {"linear_attention b=1 h=2 s=17 d=15"}},
    {"recurrent_attention", {"recurrent_attention hq=2 s=17 d=15"}},
    {"rms_norm", {"rms_norm rows=17 d=39"}},
    {"rotary_embedding", {"rotary_embedding b=1 h=2 s=17 d=16"}},
    {"weight", {"linear m=17 n=33 k=39 weights=constant"}},
    {"widen", {"linear m=17 n=33 k=39 weights=constant type=bf16"}},
};

const Sample *sampleOf(StringRef op) {
  const auto *found = llvm::find_if(samples, [&](const Sample &sample) { return op == sample.op; });
  return found == std::end(samples) ? nullptr : found;
}

bool contains(ModuleOp module, StringRef name) {
  return module.walk([&](Operation *op) { return WalkResult(failure(op->getName().getStringRef() == name)); })
      .wasInterrupted();
}

struct EveryOp : QuotedOperations {
  /// Compiles the model with these strategies and judges it, after every stage as well. False where they are not eligible.
  bool compiles(StringRef text, std::vector<std::string> strategies, StringRef expectedOp = "") {
    auto model = importModel(context, text);
    EXPECT_TRUE(succeeded(model)) << text.str();
    auto main = model->module->lookupSymbol<func::FuncOp>("main");
    auto inputs = randomInputs(main, 1);
    auto reference = computeReference(main, *inputs, weightsFrom(model->weights));
    EXPECT_TRUE(succeeded(reference)) << text.str();
    std::vector<std::string> names;
    for (unsigned i = 0; i < main.getNumResults(); ++i)
      names.push_back(resultName(main, i));

    CompileOptions options;
    options.strategies = std::move(strategies);
    bool seen = false;
    WeightStore weights = model->weights;
    StageBisect bisect(*inputs, *reference, weights, /*seed=*/1);
    options.changeModule = [&](Stage stage, ModuleOp module) {
      seen |= contains(module, expectedOp);
      return bisect.judge(stage, module);
    };
    std::string refusal;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      llvm::raw_string_ostream(refusal) << diagnostic << "\n";
    });
    auto compiled = compileModel(std::move(*model), options);
    if (failed(compiled)) {
      EXPECT_TRUE(StringRef(refusal).starts_with("strategy ")) << refusal; // and why it does not take it
      return false;
    }
    for (const StageJudgement &judgement : bisect.judgements())
      EXPECT_TRUE(judgement.comparison.ok) << text.str() << ": " << judgement.text();
    EXPECT_TRUE(expectedOp.empty() || seen) << "no stage of '" << text.str() << "' holds " << expectedOp.str();
    auto session = Session::fromObject(std::move(compiled->object), "model", std::move(compiled->weights));
    EXPECT_TRUE(bool(session));
    expectRight(callWith(**session, *inputs, executor), names, *reference);
    return true;
  }
};

TEST_F(EveryOp, PrintsRunsAndCompiles) {
  std::vector<std::string> ops; // compiling loads dialects, which adds to the list
  for (RegisteredOperationName name : context.getRegisteredOperations())
    // heddle.accesses comes and goes within stage bufferize: tests/transforms/group-accesses.mlir. Exponentials are
    // made on the way down, launches on that to a device: tests/targets/gpu.
    if (name.getDialectNamespace() == "heddle" && name.stripDialect() != "accesses" && name.stripDialect() != "launch" && name.stripDialect() != "yield" && name.stripDialect() != "size" && name.stripDialect() != "sizes" &&
        !name.stripDialect().ends_with("_nonpositive"))
      ops.push_back(name.stripDialect().str());
  for (const std::string &op : ops) {
    std::string full = "heddle." + op;
    SCOPED_TRACE(full);
    const Sample *sample = sampleOf(op);
    ASSERT_TRUE(sample) << "no sample of it in this test";
    for (const char *text : sample->models) {
      auto model = importModel(context, text);
      ASSERT_TRUE(succeeded(model)) << text;
      // Made on the way down: dispatch of memory, widen for floats that are stored narrow.
      EXPECT_TRUE(op == "dispatch" || op == "widen" || contains(*model->module, full)) << text;
      std::string printed, again;
      llvm::raw_string_ostream(printed) << **model->module;
      OwningOpRef<ModuleOp> parsed = parseSourceString<ModuleOp>(printed, &context);
      ASSERT_TRUE(parsed) << printed;
      llvm::raw_string_ostream(again) << **parsed;
      EXPECT_EQ(printed, again);
      EXPECT_TRUE(compiles(text, {}, full)) << text;
    }
  }
  EXPECT_EQ(ops.size(), std::size(samples)) << "a sample of no op";
}

TEST_F(EveryOp, CompilesWithEachStrategy) {
  auto target = createTarget(UnknownLoc::get(&context), {});
  ASSERT_TRUE(succeeded(target));
  const TargetFacts &facts = (*target)->getFacts();
  unsigned skipped = 0;
  for (const Sample &sample : samples) {
    auto strategies = listStrategies(context, sample.op);
    ASSERT_TRUE(succeeded(strategies));
    bool isLayer = !llvm::is_contained({"checked_index", "weight", "widen", "dispatch"}, StringRef(sample.op));
    EXPECT_EQ(!strategies->empty(), isLayer) << sample.op;
    for (const Strategy &strategy : *strategies) {
      SCOPED_TRACE(strategy.name);
      if (strategy.target != "cpu") // tests/targets
        continue;
      if (!llvm::all_of(strategy.features, [&](auto &feature) { return llvm::is_contained(facts.features, feature); })) {
        ++skipped;
        continue;
      }
      if (StringRef(strategy.name).ends_with("-stream")) // for results beyond the caches: streams_test
        continue;
      EXPECT_TRUE(llvm::any_of(sample.models, [&](const char *text) {
        return compiles(text, {std::string(sample.op) + "=" + strategy.name});
      })) << "takes none of the samples";
    }
  }
  if (skipped)
    llvm::errs() << skipped << " strategies need another CPU\n";
}

} // namespace
