//===- Passport.cpp - the measured error of compiled code -----------------===//

#include "heddle/Passport.h"

#include "heddle/Devices.h"
#include "heddle/ErrorTable.h"
#include "heddle/PrintError.h"
#include "heddle/Threads.h"
#include "heddle/device.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace heddle {

static constexpr uint64_t passportSeed = 1;

std::optional<Passport> Passport::create(StringRef path, StringRef precision, const Model &model, const Model *inF32) {
  CaseOptions cases;
  cases.seed = passportSeed;
  cases.adversarial = true;
  FailureOr<std::vector<PointCases>> points =
      prepareCases(cases, model, ("measuring the error of " + path).str(), inF32);
  if (failed(points))
    return std::nullopt;
  Passport passport;
  passport.points = std::move(*points);
  passport.precision = precision.str();
  return passport;
}

FailureOr<std::string> Passport::judgeCases(Session &session, size_t threads) const {
  FailureOr<ExecutorPtr> executor = createExecutor(threads);
  if (failed(executor))
    return failure();
  FailureOr<std::vector<Judgement>> judgements = judgeAll(session, points, executor->get());
  if (failed(judgements))
    return failure();
  std::string table;
  llvm::raw_string_ostream stream(table);
  printErrorTable(stream, worstOfSizes(*judgements));
  for (const std::string &line : describeDistances(*judgements, precision))
    stream << line << "\n";
  if (llvm::all_of(*judgements, [](const Judgement &judgement) { return judgement.comparison.ok; }))
    return table;
  llvm::errs() << "heddle: error: the error of an output exceeds its bound\n" << table;
  return failure();
}

std::vector<std::string> Passport::sizesTried() const {
  constexpr size_t width = 96; // the maximum number of characters of a line
  std::vector<std::string> lines;
  if (points.front().at.sizes.empty())
    return lines;
  for (const PointCases &point : points) {
    std::string text = point.at.name + (&point == &points.back() ? ":" : ";");
    if (lines.empty() || lines.back().size() + text.size() > width)
      lines.push_back(" ");
    lines.back() += " " + text;
  }
  return lines;
}

FailureOr<std::vector<std::string>> Passport::measure(const CompiledModel &compiled, const CompileOptions &options,
                                                      StringRef onDevice, size_t threads) const {
  std::vector<std::string> lines;
  llvm::Expected<DevicePtr> device = openDevice(onDevice);
  if (!device) {
    printError(device.takeError());
    return failure();
  }
  if (isInterpreted(onDevice))
    lines.push_back(llvm::formatv("{0} ({1}) ran this code, and no GPU did", (*device)->name, (*device)->description));
  if (*device && !((*device)->features & HEDDLE_FEATURE_SIGNED_ZERO_INF_NAN))
    lines.push_back(llvm::formatv("{0} ({1}) does not guarantee to keep infinities, NaN and the signs of zeros",
                                  (*device)->name, (*device)->description));
  if (*device && !((*device)->features & HEDDLE_FEATURE_DENORM_PRESERVE))
    lines.push_back(
        llvm::formatv("{0} ({1}) may flush denormal numbers to zero", (*device)->name, (*device)->description));
  // A variant exists for each CPU and each class of sizes. A call selects the class by its sizes, so each CPU is
  // measured only once. The variants of the first class give the list of the CPUs.
  ArrayRef<CompiledVariant> cpus = compiled.variants;
  cpus = cpus.take_while([&](const CompiledVariant &variant) { return variant.sizes == cpus.front().sizes; });
  bool isMeasured = false, isOne = cpus.size() == 1;
  for (const CompiledVariant &variant : cpus) {
    CompiledModel copy;
    copy.whyNotHere = compiled.whyNotHere;
    copy.object = llvm::MemoryBuffer::getMemBufferCopy(compiled.object->getBuffer(), options.name);
    if (!options.embedWeights)
      copy.weights = compiled.weights;
    auto session = loadHere(std::move(copy), options.name, variant.name, *device);
    bool isLast = &variant == &cpus.back();
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
    std::vector<std::string> sizes = sizesTried();
    lines.push_back(llvm::formatv("Measured against f64, inputs from seed {0}{1}{2}", passportSeed,
                                  isOne ? "" : ", code for " + variant.name,
                                  sizes.empty() ? ":" : ", the error nearest to its bound in each case at"));
    llvm::append_range(lines, sizes);
    SmallVector<StringRef> rows;
    StringRef(*table).rtrim().split(rows, '\n');
    for (StringRef row : rows)
      lines.push_back(("  " + row.rtrim()).str());
  }
  return lines;
}

} // namespace heddle
