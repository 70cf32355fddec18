//===- RandomOperation.cpp - random quoted operations ---------------------===//
//
// A quoted operation is a model in one line of text: the name of an operation
// and its knobs. The names and valid values of the knobs are read from the
// compiler (operationKnobs), so that new operations and knobs are drawn without
// changes here. Only attention has its own generator, randomAttention in
// tests/e2e/AttentionCases.h.
//
//===----------------------------------------------------------------------===//

#include "RandomOperation.h"

#include "../e2e/AttentionCases.h"
#include "Random.h"

#include "heddle/Import.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"

using namespace heddle;

using Knobs = llvm::ArrayRef<KnobDescription>;

namespace {
/// Draws the knobs of one quoted operation.
class Words {
public:
  Words(Random &random, Knobs knobs) : random(random), knobs(knobs) {}

  /// Adds a knob with a random value, or omits it so that its default is used.
  void add(const KnobDescription &knob);

  std::string text; // the knobs so far, each after a space: " m=17 n=1..40"
  /// The product of all sizes; of a range, its upper end. It estimates the time that a verification takes.
  double work = 1;

private:
  bool isCount(const KnobDescription &knob) const;
  std::string drawSize(const KnobDescription &knob);
  std::string drawOther(const KnobDescription &knob);

  Random &random;
  Knobs knobs;
};
} // namespace

/// Returns whether the knob is a number of batch entries or heads, for which small values are enough. Such a knob is
/// recognised by its default, which is 1 or the name of another such knob.
bool Words::isCount(const KnobDescription &knob) const {
  const auto *other = llvm::find_if(
      knobs, [&](const KnobDescription &other) { return llvm::is_contained(other.names, knob.fallback); });
  return knob.fallback == "1" || (other != knobs.end() && isCount(*other));
}

/// Returns a size, or a range if the knob permits one. Multiplies `work` by the size.
std::string Words::drawSize(const KnobDescription &knob) {
  bool few = isCount(knob);
  std::string size;
  if (knob.kind == KnobDescription::SizeOrRange && random.oneIn(4))
    size = few ? "1..3" : random.pick<const char *>({"1..40", "2..17", "1..3", "60..130", "15..16", "1..135"});
  else if (few)
    size = std::to_string(random.pick({1, 2, 3, 4, 6}));
  else if (random.oneIn(25))
    size = std::to_string(random.pick({193, 257, 400, 513}));
  else
    size = std::to_string(random.pick({1,  2,  3,  5,  6,  7,  8,  15, 16,  17,  31, 33,
                                       34, 39, 48, 64, 65, 66, 70, 96, 100, 128, 135}));
  work *= std::stod(size.substr(size.rfind('.') + 1));
  return size;
}

/// Returns a value other than the default, or "" if none is known.
std::string Words::drawOther(const KnobDescription &knob) {
  std::vector<std::string> others;
  llvm::copy_if(knob.values, std::back_inserter(others),
                [&](const std::string &value) { return value != knob.fallback; });
  return others.empty() ? "" : others[random.below(others.size())];
}

void Words::add(const KnobDescription &knob) {
  bool isSize = knob.kind == KnobDescription::Size || knob.kind == KnobDescription::SizeOrRange;
  std::string value;
  if (random.oneIn(2) || (isSize && knob.fallback.empty()))
    value = isSize ? drawSize(knob) : drawOther(knob);
  else if (llvm::is_contained(knob.values, knob.fallback) && random.oneIn(4))
    value = knob.fallback; // the default is written explicitly
  if (!value.empty())
    text += " " + knob.names[random.below(knob.names.size())] + "=" + value;
}

/// Draws knobs of the operation `name` until they are compatible and the product of the sizes is small enough.
static std::string draw(mlir::MLIRContext &context, const std::string &name, Random &random) {
  constexpr double maximum = 3e8; // of Words::work
  const std::vector<KnobDescription> knobs = operationKnobs(context, name);
  while (true) {
    Words words(random, knobs);
    for (const KnobDescription &knob : knobs)
      if (knob.names.front() != "type") // randomOperation adds the type
        words.add(knob);
    if (words.work <= maximum && isVerifiable(context, name + words.text))
      return name + words.text;
  }
}

std::string randomOperation(uint64_t seed) {
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Random random(seed);
  std::string text;
  if (random.oneIn(3)) {
    text = randomAttention(seed, random.oneIn(4));
  } else {
    llvm::SmallVector<llvm::StringRef> names;
    std::string all = quotedOperations();
    llvm::StringRef(all).split(names, ", ");
    llvm::erase(names, "attention");
    text = draw(context, names[random.below(names.size())].str(), random);
  }
  if (!random.oneIn(3))
    return text;
  std::string typed = text + " type=" + random.pick<const char *>({"f16", "bf16", "f64"});
  return isVerifiable(context, typed) ? typed : text; // some knobs are valid for f32, the default, only
}
