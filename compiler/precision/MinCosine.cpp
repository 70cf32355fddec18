//===- MinCosine.cpp - gives some layers more precision -------------------===//
//
// The cosine of a row is the cosine of the angle between this row of the results in low precision and the same row in
// f32.
//
// The required cosine (PrecisionOptions::minCosine) should also hold for inputs that were not tried. The distance of a
// row, 1 - cosine, is distributed as c e^(d g), where c is a constant, g has the standard normal distribution and d is
// about 0.42 (measured with all-MiniLM, for embeddings and tokens, of sentences and of random tokens). For the worst of
// about 500 tried rows, g is about 2.9; for the worst of 100,000 rows, g is about 4.3. The distance of the worst of
// 100,000 rows is thus larger by a factor of e^(1.4 x 0.42) = 1.8. In addition, layers that are selected with the tried
// rows improve other rows less, by a factor of 1.3 if half of the layers are selected. Therefore the distance of the
// tried rows must be at most 1 / (1.8 x 1.3) of the allowed distance.
//
// Layers get higher precision in descending order of their worth. The worth of a layer is the distance of the worst row
// if only this layer has low precision, divided by the number of the layer's multiplications. The errors of layers are
// independent, so their distances add up. Layers with the same input get higher precision together (they are one
// candidate for it), since the rows of the input are rounded once for all of these layers.
//
//===----------------------------------------------------------------------===//

#include "Calibration.h"
#include "Trials.h"

#include "heddle/Distance.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

// The share of the allowed distance that the tried rows may have: 1 / (1.8 x 1.3), rounded down.
static constexpr double shareOfSeen = 0.4;

// The difference between two cosines in f64 that results from the order of additions alone. If all layers are in f32,
// the cosine differs from 1 by at most this number.
static constexpr double lastDigits = 1e-12;

static std::string foundText(double cosine) { return cosineText(1 - cosine <= lastDigits ? 1.0 : cosine); }

/// Returns whether the tried rows, with the worst cosine `cosine`, are good enough to expect the cosine `minimum` for
/// other inputs.
static bool isHeld(double cosine, double minimum) { return 1 - cosine <= (1 - minimum) * shareOfSeen + lastDigits; }

namespace {
/// Parts of the model that get higher precision together: all layers with the same input; one table, such as that of
/// word embeddings; or all attention operations.
struct Candidate {
  SmallVector<std::string> keys; // the keys of the layers in the plan
  // The number of multiplications for each row: for layers, the number of weights; for attention, the multiplications
  // for each query; 1 for a table.
  double weights = 0;
  double cosine = 1; // the worst cosine if only these layers have low precision
  bool isTable = false;

  double worth() const { return std::isnan(cosine) ? INFINITY : (1 - cosine) / weights; }
};

/// Searches for the candidates that must have higher precision.
class Search {
public:
  Search(const PrecisionPlan &plan, Trials &trials) : plan(plan), trials(trials) {}

  /// Sets `candidates`, and measures the cosine of each except tables.
  LogicalResult findCandidates(CalibrationCase &test);
  /// Returns the smallest number of candidates that must have the format `format` to reach the cosine `minimum`;
  /// nullopt if even all candidates in this format do not reach it. The remaining candidates have the format `rest` or,
  /// if it is nullopt, the format of the plan's choice. Requires that 0 candidates are too few.
  FailureOr<std::optional<size_t>> fewest(double minimum, LayerFormat format, std::optional<LayerFormat> rest);

  /// Returns the time of all multiplications in the formats of the last trial, in units of one int8 multiplication.
  double time() const;

  std::vector<Candidate> candidates; // in descending order of their worth
  llvm::StringMap<LayerFormat> left; // the formats of the last trial
  double cosine = 0;                 // the worst cosine of the last trial

private:
  LogicalResult measure();
  FailureOr<double> tryLeft(size_t count, LayerFormat format, std::optional<LayerFormat> rest);

  PrecisionPlan plan;
  Trials &trials;
};
} // namespace

LogicalResult Search::findCandidates(CalibrationCase &test) {
  llvm::StringSet<> known;
  llvm::MapVector<Value, Candidate> layers;
  OwningOpRef<ModuleOp> copy = test.model.module->clone();
  for (StoredLayer &layer : takeLayers(*copy, plan.choice)) {
    if (!known.insert(layer.key()).second)
      continue;
    Candidate &candidate = layers[layer.linear.getInput()];
    candidate.keys.push_back(layer.key());
    candidate.weights += double(cast<ShapedType>(layer.weight.getType()).getNumElements());
  }
  for (auto &entry : layers)
    candidates.push_back(std::move(entry.second));
  if (plan.choice.of(ModelPart::Embedding) != LayerFormat::F32)
    for (Value table : findTables(*test.model.module))
      if (std::string key = weightKey(storedValue(table).getDefiningOp<WeightOp>()); known.insert(key).second)
        candidates.push_back({{key}, 1, 1, true});
  if (plan.choice.of(ModelPart::Attention) != LayerFormat::F32) {
    Candidate all{{attentionKey.str()}};
    for (AttentionOp attention : findAttention(*copy)) {
      AttentionOp::Extents sizes = attention.getSizes();
      all.weights += attention.getMultiplyAdds() / double(std::max<int64_t>(sizes.batch * sizes.queries, 1));
    }
    if (all.weights > 0)
      candidates.push_back(std::move(all));
  }
  return measure();
}

/// Measures the cosine of each candidate except tables, and sorts the candidates by their worth, tables last.
LogicalResult Search::measure() {
  for (Candidate &candidate : candidates) {
    // Tables are looked up and not multiplied. A table in f32 takes much memory, so tables are the last candidates.
    if (candidate.isTable)
      continue;
    PrecisionPlan alone = plan;
    alone.exceptions.clear();
    for (const Candidate &other : candidates)
      if (&other != &candidate)
        for (const std::string &key : other.keys)
          alone.exceptions[key] = LayerFormat::F32;
    FailureOr<double> found = trials.quickCosine(alone);
    if (failed(found))
      return failure();
    candidate.cosine = *found;
  }
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
    return std::make_tuple(a.isTable, -a.worth()) < std::make_tuple(b.isTable, -b.worth());
  });
  return success();
}

/// Returns the worst cosine if the first `count` candidates have the format `format`. The formats of the remaining
/// candidates are as for fewest().
FailureOr<double> Search::tryLeft(size_t count, LayerFormat format, std::optional<LayerFormat> rest) {
  left.clear();
  for (auto [i, candidate] : llvm::enumerate(candidates))
    if (i < count || rest)
      for (const std::string &key : candidate.keys)
        left[key] = i < count ? format : *rest;
  plan.exceptions = left;
  FailureOr<double> found = trials.worstCosine(plan);
  if (succeeded(found))
    cosine = *found;
  return found;
}

FailureOr<std::optional<size_t>> Search::fewest(double minimum, LayerFormat format, std::optional<LayerFormat> rest) {
  auto isEnough = [&](size_t count) -> FailureOr<bool> {
    FailureOr<double> found = tryLeft(count, format, rest);
    return failed(found) ? FailureOr<bool>() : FailureOr<bool>(isHeld(*found, minimum));
  };
  size_t low = 0, high = candidates.size(); // `low` candidates are too few, and `high` are enough
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
  // Repeat the trial with `high`, since the last trial may have had too few candidates.
  if (failed(isEnough(high)))
    return failure();
  return std::optional<size_t>(high);
}

double Search::time() const {
  double sum = 0;
  for (const Candidate &candidate : candidates)
    for (const std::string &key : candidate.keys) {
      auto found = left.find(key);
      LayerFormat minimum = key == attentionKey ? LayerFormat::BF16 : LayerFormat::Int8;
      LayerFormat format = found == left.end() ? minimum : found->second;
      double each = format == LayerFormat::F32 ? 4 : format == LayerFormat::BF16 ? 2 : 1;
      sum += each * candidate.weights / double(candidate.keys.size());
    }
  return sum;
}

/// Gives some candidates f32, since bf16 for all candidates is not enough to reach the cosine `minimum`. Tries twice:
/// in the first attempt, the remaining candidates keep their format; in the second, they get bf16. Uses the attempt
/// whose multiplications take less time, but always returns the number of f32 candidates of the second attempt; nullopt
/// if f32 for all candidates is not enough.
static FailureOr<std::optional<size_t>> leaveInF32(Search &search, double minimum) {
  FailureOr<std::optional<size_t>> count = search.fewest(minimum, LayerFormat::F32, std::nullopt);
  if (failed(count))
    return failure();
  llvm::StringMap<LayerFormat> left = search.left;
  double cosine = search.cosine, time = search.time();
  count = search.fewest(minimum, LayerFormat::F32, LayerFormat::BF16);
  if (succeeded(count) && search.time() >= time) {
    search.left = std::move(left);
    search.cosine = cosine;
  }
  return count;
}

/// Prints which layers have a higher precision. `before` is the worst cosine if all layers have the low precision.
static void describe(llvm::raw_ostream &notes, const Search &search, const PrecisionOptions &options, double before) {
  size_t all = 0;
  for (const Candidate &candidate : search.candidates)
    all += candidate.keys.size();
  notes << "heddle: " << search.left.size() << " of " << all
        << " layers are left in a higher precision: the worst cosine of a row is " << foundText(search.cosine)
        << " (with all " << all << " in low precision: " << foundText(before)
        << llvm::format("); to reach %.15g for other inputs, the calibration inputs must reach %.15g\n",
                        options.minCosine, 1 - (1 - options.minCosine) * shareOfSeen);
  for (const Candidate &candidate : search.candidates)
    for (const std::string &key : candidate.keys) {
      auto found = search.left.find(key);
      if (found == search.left.end())
        continue;
      notes << "  " << key << ": ";
      if (candidate.isTable)
        notes << "f32, because the weight is a table\n";
      else
        notes << formatName(found->second) << "; if only "
              << (key == attentionKey         ? "attention is"
                  : candidate.keys.size() > 1 ? "the weights with this input are"
                                              : "this weight is")
              << " in low precision, the worst cosine is " << foundText(candidate.cosine) << "\n";
    }
}

LogicalResult heddle::holdCosine(PrecisionPlan &plan, const PrecisionOptions &options,
                                 MutableArrayRef<CalibrationCase> cases) {
  Trials trials(cases);
  if (failed(trials.prepare(plan)))
    return failure();
  FailureOr<double> before = trials.worstCosine(plan);
  if (failed(before))
    return failure();
  if (isHeld(*before, options.minCosine))
    return success();
  Search search(plan, trials);
  if (failed(search.findCandidates(cases.front())))
    return failure();
  FailureOr<std::optional<size_t>> count = search.fewest(options.minCosine, LayerFormat::BF16, std::nullopt);
  if (succeeded(count) && !*count)
    count = leaveInF32(search, options.minCosine);
  if (failed(count))
    return failure();
  plan.exceptions = search.left;
  if (options.notes)
    describe(*options.notes, search, options, *before);
  return success();
}
