//===- Passport.cpp - the measured error of compiled code -----------------===//

#include "Passport.h"

#include "Calls.h"
#include "ErrorTable.h"
#include "HardReference.h"
#include "Progress.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace heddle {

static constexpr uint64_t seed = 1;

std::optional<Passport> Passport::create(const Model &model) {
  Passport passport;
  passport.imported = model.module.get().clone();
  auto main = passport.imported->lookupSymbol<func::FuncOp>("main");
  auto inputs = randomInputs(main, seed);
  auto hard = adversarialInputs(main, seed);
  if (failed(inputs) || failed(hard))
    return std::nullopt;
  Progress progress("interpreting in f64 and f32");
  HardReference references(*passport.imported);
  passport.cases.push_back({"random", std::move(*inputs)});
  llvm::append_range(passport.cases, *hard);
  for (const InputCase &test : passport.cases) {
    auto reference = references.compute(test.inputs, weightsFrom(model.weights));
    if (failed(reference))
      return std::nullopt;
    passport.references.push_back(std::move(*reference));
  }
  return passport;
}

FailureOr<std::string> Passport::judgeCases(Session &session, const ThreadArguments &threads) const {
  auto main = imported.get().lookupSymbol<func::FuncOp>("main");
  FailureOr<ExecutorPtr> executor = createExecutor(threads);
  if (failed(executor))
    return failure();
  std::vector<Judgement> judgements;
  for (auto [test, reference] : llvm::zip_equal(cases, references)) {
    SmallVector<std::optional<Tensor>> bound(test.inputs.begin(), test.inputs.end());
    FailureOr<SmallVector<Tensor>> outputs = call(session, main, bound, executor->get());
    if (failed(outputs))
      return failure();
    bool adversarial = &test != &cases.front();
    for (auto [i, output] : llvm::enumerate(*outputs))
      judgements.push_back(judge(test.name, resultName(main, i), output, reference, i, adversarial));
  }
  std::string table;
  llvm::raw_string_ostream stream(table);
  printErrorTable(stream, judgements);
  if (llvm::all_of(judgements, [](const Judgement &judgement) { return judgement.comparison.ok; }))
    return table;
  llvm::errs() << "heddle: error: beyond the bound\n" << table;
  return failure();
}

FailureOr<std::vector<std::string>> Passport::measure(const CompiledModel &compiled, const CompileOptions &options,
                                                      const ThreadArguments &threads) const {
  std::vector<std::string> lines;
  bool isMeasured = false, isOne = compiled.variants.size() == 1;
  for (const CompiledVariant &variant : compiled.variants) {
    CompiledModel copy;
    copy.whyNotHere = compiled.whyNotHere;
    copy.object = llvm::MemoryBuffer::getMemBufferCopy(compiled.object->getBuffer(), options.name);
    if (!options.embedWeights)
      copy.weights = compiled.weights;
    auto session = loadHere(std::move(copy), options.name, variant.name);
    bool isLast = &variant == &compiled.variants.back();
    if (!session && isLast && !isMeasured) {
      printError(session.takeError());
      return failure();
    }
    if (!session) {
      lines.push_back("The code for " + variant.name + " was not measured: " + llvm::toString(session.takeError()));
      continue;
    }
    FailureOr<std::string> table = judgeCases(**session, threads);
    if (failed(table))
      return failure();
    isMeasured = true;
    lines.push_back(llvm::formatv("Measured against f64, inputs from seed {0}{1}:", seed,
                                  isOne ? "" : ", code for " + variant.name));
    SmallVector<StringRef> rows;
    StringRef(*table).rtrim().split(rows, '\n');
    for (StringRef row : rows)
      lines.push_back(("  " + row.rtrim()).str());
  }
  return lines;
}

} // namespace heddle
