//===- EveryStrategy.cpp - strategies on hard inputs ----------------------===//

#include "EveryStrategy.h"

#include "heddle/Devices.h"
#include "heddle/device.h"

using namespace heddle;

std::vector<unsigned> EveryStrategy::numbersFor(llvm::StringRef target) {
  std::vector<unsigned> numbers;
  for (auto [number, strategy] : llvm::enumerate(embeddedStrategies()))
    if (isForTarget(strategy.target, target))
      numbers.push_back(number);
  return numbers;
}

/// Compiles the operation with the strategy `choice` (a name or a file) and verifies it on hard inputs. Returns false
/// if the strategy is not eligible for the operation; `reason` is then the error message. After another error, the test
/// fails and the result is false, too.
bool EveryStrategy::check(const TestedOperation &operation, llvm::StringRef choice) {
  std::string text = operation.text();
  SCOPED_TRACE(text);
  auto model = importModel(context, operation.isModule() ? dir.write("model.mlir", text) : text);
  EXPECT_TRUE(succeeded(model));
  if (failed(model))
    return false;
  mlir::OwningOpRef<mlir::ModuleOp> imported = model->module->clone();
  WeightStore weights = model->weights;
  CompileOptions options;
  options.target.device = device ? findDeviceKind(device->name)->name : hostDevice;
  options.strategies = {(operation.op + llvm::Twine("=") + choice).str()};
  std::string errors;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return mlir::success();
  });
  auto compiled = compileModel(std::move(*model), options);
  if (failed(compiled)) {
    llvm::StringRef said = errors;
    EXPECT_TRUE(said.starts_with("strategy ") || (device && said.contains("not supported on this device"))) << errors;
    reason = errors;
    return false;
  }
  auto session = loadHere(std::move(*compiled), "model", "", device);
  if (!session) {
    ADD_FAILURE() << llvm::toString(session.takeError());
    return false;
  }
  auto main = imported->lookupSymbol<mlir::func::FuncOp>("main");
  auto cases = adversarialInputs(main, 1);
  EXPECT_TRUE(succeeded(cases));
  EXPECT_GE(cases->size(), 7u);
  for (const InputCase &test : *cases)
    verify(**session, main, test, weightsFrom(weights));
  EXPECT_EQ(errors, "");
  return true;
}

/// Compares the results for one set of inputs with the reference. Elements that overflow in f32 are not compared.
void EveryStrategy::verify(Session &session, mlir::func::FuncOp main, const InputCase &test,
                           const WeightSource &weights) {
  SCOPED_TRACE(test.name);
  auto reference = computeReference(main, test.inputs, weights);
  ASSERT_TRUE(succeeded(reference));
  auto alone = callWith(session, test.inputs, nullptr);
  if (isCalledTwice)
    EXPECT_EQ(alone, callWith(session, test.inputs, executor)) << "two threads return other bits than one thread";
  for (auto [i, bytes] : llvm::enumerate(alone)) {
    const Tensor &wide = reference->wide[i];
    auto actual = Tensor::fromBytes(wide.shape(), wide.elementType(), bytes);
    ASSERT_TRUE(succeeded(actual));
    int64_t dropped = dropOverflows(*actual, *reference, i);
    EXPECT_LE(dropped, wide.size() / 2) << "most elements overflow, so they are not compared";
    Comparison comparison = compare(resultName(main, i), *actual, reference->wide[i], reference->narrow[i]);
    EXPECT_TRUE(comparison.ok) << comparison.text();
  }
}

void EveryStrategy::checkStrategy(unsigned step) {
  context.loadAllAvailableDialects();
  auto strategy = parseStrategy(context, embedded().name, embedded().text);
  ASSERT_TRUE(succeeded(strategy));
  // A strategy for large results or many rows is tested on small ones: the minimum in its @match is replaced by 1.
  std::string text = embedded().text.str(), choice = embedded().name.str();
  if (size_t at = text.find("at_least("); at != std::string::npos) {
    text.replace(at, text.find(')', at) - at, "at_least(1");
    choice = dir.write("strategy.mlir", text);
  }
  unsigned tried = 0, number = 0;
  for (const TestedOperation &operation : testedOperations())
    if (operation.tests & in::Hard && operation.op == strategy->op && number++ % step == step / 2)
      tried += check(operation, choice);
  if (!tried && llvm::StringRef(reason).contains("which code for this CPU cannot use"))
    GTEST_SKIP() << reason;
  EXPECT_GT(tried, 0u) << "the strategy is eligible for no operation of this test: " << reason;
}
