//===- Passport.cpp - the measured error of compiled code -----------------===//

#include "Passport.h"

#include "ErrorTable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace heddle {

static constexpr uint64_t seed = 1;

std::optional<Passport> Passport::create(const ModelArguments &arguments, const Model &model) {
  CaseArguments cases;
  cases.seed = seed;
  cases.adversarial = true;
  FailureOr<std::vector<PointCases>> points = prepareCases(arguments, cases, model, "measuring the error of");
  if (failed(points))
    return std::nullopt;
  Passport passport;
  passport.points = std::move(*points);
  return passport;
}

FailureOr<std::string> Passport::judgeCases(Session &session, const ThreadArguments &threads) const {
  FailureOr<ExecutorPtr> executor = createExecutor(threads);
  if (failed(executor))
    return failure();
  FailureOr<std::vector<Judgement>> judgements = judgeAll(session, points, executor->get());
  if (failed(judgements))
    return failure();
  std::string table;
  llvm::raw_string_ostream stream(table);
  printErrorTable(stream, worstOfSizes(*judgements));
  if (llvm::all_of(*judgements, [](const Judgement &judgement) { return judgement.comparison.ok; }))
    return table;
  llvm::errs() << "heddle: error: beyond the bound\n" << table;
  return failure();
}

std::string Passport::sizesTried() const {
  std::vector<std::string> names;
  for (const PointCases &point : points)
    names.push_back(point.at.name);
  return points.front().at.sizes.empty() ? "" : " at " + llvm::join(names, "; ") + " (the worst of each case)";
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
    lines.push_back(llvm::formatv("Measured against f64{0}, inputs from seed {1}{2}:", sizesTried(), seed,
                                  isOne ? "" : ", code for " + variant.name));
    SmallVector<StringRef> rows;
    StringRef(*table).rtrim().split(rows, '\n');
    for (StringRef row : rows)
      lines.push_back(("  " + row.rtrim()).str());
  }
  return lines;
}

} // namespace heddle
