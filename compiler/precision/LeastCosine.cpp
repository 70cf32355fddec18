//===- LeastCosine.cpp - layers left in more digits -----------------------===//

#include "Calibration.h"

#include "heddle/Distance.h"
#include "heddle/Verify.h"

#include "llvm/Support/Format.h"

#include <cmath>
#include <set>

using namespace mlir;
using namespace heddle;

// What another order of the same sums makes of a cosine in f64: with all in f32 it is 1.
static constexpr double lastDigits = 1e-12;

namespace {
/// A layer or a table that may be left.
struct Candidate {
  std::string key;
  double harm = 0;
  bool isTable = false;
};

class Search {
public:
  Search(const PrecisionPlan &plan, MutableArrayRef<CalibrationCase> cases) : plan(plan), cases(cases) {}

  LogicalResult prepare();
  /// The worst cosine of a row with the first `count` candidates left in `format`; the others are in `rest`, if given.
  FailureOr<double> tryLeft(size_t count, LayerFormat format, std::optional<LayerFormat> rest = std::nullopt);
  /// The fewest candidates that are to be left in `format` for a cosine of `least`; nothing where all are not enough.
  FailureOr<std::optional<size_t>> fewest(double least, LayerFormat format, std::optional<LayerFormat> rest);

  std::vector<Candidate> candidates; // the worst first
  llvm::StringMap<LayerFormat> left; // of the last trial
  double cosine = 0;                 // of the last trial

private:
  FailureOr<SmallVector<Tensor>> run(ModuleOp module, const CalibrationCase &test) {
    InterpreterOptions options;
    options.weights = weightsFrom(test.model.weights);
    return interpret(module.lookupSymbol<func::FuncOp>("main"), test.inputs, options);
  }

  PrecisionPlan plan;
  MutableArrayRef<CalibrationCase> cases;
  std::vector<SmallVector<Tensor>> references; // of each case, in f32's model
};
} // namespace

LogicalResult Search::prepare() {
  for (CalibrationCase &test : cases) {
    FailureOr<SmallVector<Tensor>> results = run(*test.model.module, test);
    if (failed(results))
      return failure();
    references.push_back(std::move(*results));
  }
  return success();
}

FailureOr<double> Search::tryLeft(size_t count, LayerFormat format, std::optional<LayerFormat> rest) {
  left.clear();
  for (auto [i, candidate] : llvm::enumerate(candidates))
    if (i < count || rest)
      left[candidate.key] = i < count ? format : *rest;
  plan.left = left;
  Distance all;
  for (auto [test, reference] : llvm::zip_equal(cases, references)) {
    OwningOpRef<ModuleOp> copy = test.model.module->clone();
    lowerPrecision(*copy, plan);
    FailureOr<SmallVector<Tensor>> results = run(*copy, test);
    if (failed(results))
      return failure();
    for (auto [result, wanted] : llvm::zip_equal(*results, reference))
      if (result.isFloat())
        all = worse(all, distanceBetween(result, wanted));
  }
  return cosine = all.cosine;
}

FailureOr<std::optional<size_t>> Search::fewest(double least, LayerFormat format, std::optional<LayerFormat> rest) {
  auto isEnough = [&](size_t count) -> FailureOr<bool> {
    FailureOr<double> found = tryLeft(count, format, rest);
    return failed(found) ? FailureOr<bool>() : FailureOr<bool>(*found >= least - lastDigits);
  };
  size_t low = 0, high = candidates.size(); // too few, and enough
  FailureOr<bool> enough = isEnough(high);
  if (failed(enough))
    return failure();
  if (!*enough)
    return std::optional<size_t>();
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (failed(enough = isEnough(middle)))
      return failure();
    (*enough ? high : low) = middle;
  }
  if (failed(isEnough(high))) // what was tried last may have been too few
    return failure();
  return std::optional<size_t>(high);
}

/// All that is in less than f32, the most harmful first; tables, whose numbers are only added, last.
static FailureOr<std::vector<Candidate>> findCandidates(const PrecisionPlan &plan,
                                                        MutableArrayRef<CalibrationCase> cases) {
  FailureOr<llvm::StringMap<double>> harm = measureHarm(plan, cases);
  if (failed(harm))
    return failure();
  std::vector<Candidate> candidates;
  for (const auto &entry : *harm)
    candidates.push_back({entry.first().str(), entry.second, false});
  llvm::sort(candidates, [](const Candidate &a, const Candidate &b) {
    auto rank = [](const Candidate &c) { return std::isnan(c.harm) ? INFINITY : c.harm; };
    return std::make_tuple(-rank(a), StringRef(a.key)) < std::make_tuple(-rank(b), StringRef(b.key));
  });
  if (plan.choice.of(ModelPart::Embedding) == LayerFormat::F32)
    return candidates;
  std::set<std::string> tables;
  for (CalibrationCase &test : cases)
    for (Value table : findTables(*test.model.module))
      tables.insert(weightKey(storedValue(table).getDefiningOp<WeightOp>()));
  for (const std::string &key : tables)
    candidates.push_back({key, 0, true});
  return candidates;
}

static void describe(llvm::raw_ostream &notes, const Search &search, const PrecisionOptions &options, double before) {
  size_t stay = llvm::count_if(search.left, [](const auto &entry) { return entry.second != LayerFormat::Int8; });
  notes << "heddle: " << stay << " of " << search.candidates.size() << " weights are left in more digits"
        << llvm::format(": the worst cosine of a row is %.6f, and was %.6f; %g is asked for\n", search.cosine, before,
                        options.leastCosine);
  for (const Candidate &candidate : search.candidates) {
    auto found = search.left.find(candidate.key);
    if (found == search.left.end())
      continue;
    notes << "  " << candidate.key << ": ";
    if (candidate.isTable)
      notes << "f32, a table\n";
    else
      notes << formatName(found->second)
            << llvm::format(", a row of its layer's result was off by %.2g%%\n", 100 * candidate.harm);
  }
}

LogicalResult heddle::holdCosine(PrecisionPlan &plan, const PrecisionOptions &options,
                                 MutableArrayRef<CalibrationCase> cases) {
  Search search(plan, cases);
  if (failed(search.prepare()))
    return failure();
  FailureOr<double> before = search.tryLeft(0, LayerFormat::F32);
  if (failed(before))
    return failure();
  if (*before >= options.leastCosine - lastDigits)
    return success();
  FailureOr<std::vector<Candidate>> candidates = findCandidates(plan, cases);
  if (failed(candidates))
    return failure();
  search.candidates = std::move(*candidates);
  FailureOr<std::optional<size_t>> count = search.fewest(options.leastCosine, LayerFormat::BF16, std::nullopt);
  if (succeeded(count) && !*count)
    count = search.fewest(options.leastCosine, LayerFormat::F32, LayerFormat::BF16);
  if (failed(count))
    return failure();
  plan.left = search.left;
  if (options.notes)
    describe(*options.notes, search, options, *before);
  return success();
}
