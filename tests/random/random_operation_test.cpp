//===- random_operation_test.cpp - knobs of random operations -------------===//
//
// Random operations must be verifiable, and over many seeds every knob and
// every listed value of a knob must be drawn. A knob that is never drawn, for
// instance because it contradicts another knob that is always given, would not
// be tested.
//
//===----------------------------------------------------------------------===//

#include "RandomOperation.h"

#include "heddle/Import.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace heddle;

namespace {

/// The values that were drawn, by the name of the operation and the name of the knob.
using Drawn = std::map<std::string, std::map<std::string, std::set<std::string>>>;

/// Draws one operation for each seed below `seeds`.
Drawn drawn(uint64_t seeds) {
  Drawn all;
  mlir::MLIRContext context;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    std::string text = randomOperation(seed);
    EXPECT_TRUE(isVerifiable(context, text)) << text;
    auto [name, rest] = llvm::StringRef(text).split(' ');
    for (llvm::StringRef word : llvm::split(rest, ' '))
      all[name.str()][word.split('=').first.str()].insert(word.split('=').second.str());
  }
  return all;
}

TEST(RandomOperation, DrawsEveryKnobOfEveryOperation) {
  mlir::MLIRContext context;
  Drawn all = drawn(6000);
  llvm::SmallVector<llvm::StringRef> names;
  std::string operations = quotedOperations();
  llvm::StringRef(operations).split(names, ", ");
  for (llvm::StringRef name : names)
    for (const KnobDescription &knob : operationKnobs(context, name)) {
      SCOPED_TRACE(name.str() + " " + knob.names.front());
      auto &knobs = all[name.str()];
      std::set<std::string> values;
      for (const std::string &known : knob.names)
        values.insert(knobs[known].begin(), knobs[known].end());
      // For attention, values of sq and skv are drawn instead of values of s.
      EXPECT_FALSE(values.empty() && knob.names.front() != "s") << "no value was drawn";
      if (name == "attention") // randomAttention draws values that the knobs do not list
        continue;
      bool isSize = knob.kind == KnobDescription::Size || knob.kind == KnobDescription::SizeOrRange;
      for (const std::string &value : knob.values)
        EXPECT_TRUE(values.count(value) || value == knob.fallback) << value;
      EXPECT_TRUE(!isSize || values.size() >= 4);
      EXPECT_EQ(llvm::any_of(values, [](llvm::StringRef value) { return value.contains(".."); }),
                knob.kind == KnobDescription::SizeOrRange);
    }
}

TEST(RandomOperation, DependsOnlyOnTheSeed) { EXPECT_EQ(randomOperation(17), randomOperation(17)); }

} // namespace
