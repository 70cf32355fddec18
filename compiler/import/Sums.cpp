//===- Sums.cpp - sizes that are sums of others ---------------------------===//

#include "Sums.h"

#include "AnySizes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

std::string heddle::nameOf(const DimSum &sum) {
  std::string name;
  for (const std::string &term : sum.terms)
    name += (name.empty() ? "" : " + ") + term;
  if (sum.plus)
    name += (sum.plus < 0 ? " - " : " + ") + std::to_string(std::abs(sum.plus));
  return name;
}

std::optional<DimSum> heddle::parseSum(StringRef text, ArrayRef<std::string> names) {
  DimSum sum;
  SmallVector<StringRef> words;
  text.split(words, '+');
  for (StringRef word : words) {
    word = word.trim();
    int64_t number;
    if (llvm::is_contained(names, word))
      sum.terms.push_back(word.str());
    else if (word.getAsInteger(10, number) || number < 0 || llvm::AddOverflow(sum.plus, number, sum.plus))
      return std::nullopt;
  }
  return words.size() > 1 && !sum.terms.empty() ? std::optional(sum) : std::nullopt;
}

SmallVector<int64_t> heddle::extentsOf(ModuleOp module) {
  SmallVector<int64_t> extents;
  auto add = [&](TypeRange types) {
    for (Type type : types)
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        llvm::append_range(extents, tensor.getShape());
  };
  module.walk([&](Operation *op) {
    add(op->getResultTypes());
    if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
      int64_t begin = 0;
      for (Type type : concat.getOperandTypes())
        extents.push_back(begin += cast<RankedTensorType>(type).getDimSize(concat.getDim()));
    }
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      llvm::append_range(extents, slice.getStaticOffsets());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        add(block.getArgumentTypes());
  });
  return extents;
}

std::vector<DimSum> heddle::findSums(const ImportOptions &options, ModuleOp model, ArrayRef<int64_t> values,
                                     ModuleOp largest, function_ref<FailureOr<Model>(ArrayRef<int64_t>)> import) {
  SmallVector<int64_t> extents = extentsOf(model), highest = extentsOf(largest);
  std::vector<SmallVector<int64_t>> beside;
  for (size_t i = 0; i < values.size(); ++i) {
    SmallVector<int64_t> next(values);
    ++next[i];
    ScopedDiagnosticHandler quiet(model.getContext(), [](Diagnostic &) { return success(); });
    FailureOr<Model> other = import(next);
    beside.push_back(succeeded(other) ? extentsOf(*other->module) : SmallVector<int64_t>());
    if (beside.back().size() != extents.size())
      return {};
  }
  bool isLike = highest.size() == extents.size(); // else a table of which a part is taken may be taken whole there
  std::vector<DimSum> sums;
  for (auto [place, extent] : llvm::enumerate(extents)) {
    DimSum sum;
    sum.plus = extent;
    bool isSum = true;
    int64_t least = 0, most = 0; // of the terms
    for (auto [i, range] : llvm::enumerate(options.ranges)) {
      int64_t growth = beside[i][place] - extent;
      isSum = isSum && (growth == 0 || growth == 1);
      if (growth == 1) {
        sum.terms.push_back(range.name);
        sum.plus -= values[i];
        least += range.low;
        most += range.high;
      }
    }
    isSum = isSum && !sum.terms.empty() && (sum.terms.size() > 1 ? sum.plus >= 0 : sum.plus != 0) &&
            least + sum.plus >= 0 && (!isLike || highest[place] == most + sum.plus);
    if (isSum && llvm::none_of(sums, [&](const DimSum &known) { return nameOf(known) == nameOf(sum); }))
      sums.push_back(sum);
  }
  return sums;
}

namespace {
/// Numbers for one size after the other, the largest first.
class StandSearch {
public:
  StandSearch(ImportOptions &options, ArrayRef<int64_t> most, bool isFirst)
      : ranges(options.ranges), sums(options.sums), rangesBefore(ranges), sumsBefore(sums), extents(options.extents),
        most(most), isFirst(isFirst) {}

  bool run();

private:
  bool choose(size_t number);
  bool addSums(size_t number);
  bool add(int64_t stands, int64_t before, int64_t low, int64_t high);

  std::vector<DimRange> &ranges;
  std::vector<DimSum> &sums;
  const std::vector<DimRange> rangesBefore;
  const std::vector<DimSum> sumsBefore;
  ArrayRef<int64_t> extents, most;
  bool isFirst;
  int64_t share; // each number is at least this part of `most`
  int tries = 0;
  SmallVector<int64_t> primes; // of the numbers so far
};
} // namespace

/// At a corner an import that depends on the number would look right.
bool StandSearch::add(int64_t stands, int64_t before, int64_t low, int64_t high) {
  bool isEven = stands % 2 == 0;
  int64_t prime = isEven ? stands / 2 : stands;
  if (stands == low || stands == high || prime < 3 || !isPrime(prime) || llvm::is_contained(primes, prime) ||
      (!isFirst && isEven && before % 2 == 0) ||
      llvm::any_of(extents, [&](int64_t extent) { return extent % stands == 0; }))
    return false;
  primes.push_back(prime);
  return true;
}

/// Those that end with this size.
bool StandSearch::addSums(size_t number) {
  for (auto [sum, before] : llvm::zip_equal(sums, sumsBefore)) {
    if (sum.terms.back() != ranges[number].name)
      continue;
    int64_t low = sum.plus, high = sum.plus;
    sum.stands = sum.plus;
    for (const DimRange &range : ranges)
      if (llvm::is_contained(sum.terms, range.name)) {
        sum.stands += range.stands;
        low += range.low;
        high += range.high;
      }
    if (!add(sum.stands, before.stands, low, high))
      return false;
  }
  return true;
}

bool StandSearch::choose(size_t number) {
  constexpr int mostTries = 1 << 16;
  if (number == ranges.size())
    return true;
  DimRange &range = ranges[number];
  size_t known = primes.size();
  int64_t least = std::max<int64_t>(most[number] / share, 3);
  for (int64_t stands = most[number]; stands >= least && tries < mostTries; --stands) {
    range.stands = stands;
    primes.truncate(known);
    if ((isFirst && stands % 2 == 0) || !add(stands, rangesBefore[number].stands, range.low, range.high))
      continue;
    ++tries;
    if (addSums(number) && choose(number + 1))
      return true;
  }
  return false;
}

bool StandSearch::run() {
  for (ArrayRef<int64_t> avoided : {extents, ArrayRef<int64_t>()}) {
    extents = avoided;
    for (share = 2; share <= 8; share *= 2) { // not one of them much smaller than it could be
      primes.clear();
      tries = 0;
      if (choose(0))
        return true;
    }
  }
  return false;
}

bool heddle::chooseStands(ImportOptions &options, ArrayRef<int64_t> most, bool isFirst) {
  return StandSearch(options, most, isFirst).run();
}
