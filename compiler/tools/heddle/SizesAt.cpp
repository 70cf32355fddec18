//===- SizesAt.cpp - combinations of sizes for bench --at -----------------===//

#include "SizesAt.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace heddle;

/// Parses the numbers of "NAME=N,..." and removes duplicates. Returns nullopt if a value is negative or not a number.
static std::optional<SizeValues> parseNumbers(StringRef text) {
  SizeValues numbers;
  for (StringRef word : llvm::split(text.split('=').second, ',')) {
    int64_t number;
    if (word.getAsInteger(10, number) || number < 0)
      return std::nullopt;
    if (!llvm::is_contained(numbers, size_t(number)))
      numbers.push_back(size_t(number));
  }
  return numbers;
}

void heddle::addAt(CLI::App &app, std::vector<std::string> &at, CLI::Option *input) {
  app.add_option(
         "--at", at,
         "NAME=N,...: time the model at these values of size NAME, which must lie in a range (repeatable; default: "
         "the minimum and the maximum of the range, or of each of its classes)")
      ->excludes(input)
      ->check([](const std::string &text) -> std::string {
        bool isList = text.find('=') != std::string::npos && text.front() != '=' && parseNumbers(text);
        return isList ? "" : "'" + text + "': expected NAME=N,... with numbers that are not negative";
      });
}

static LogicalResult refuse(const Twine &message) {
  llvm::errs() << "heddle: error: --at " << message << "\n";
  return failure();
}

FailureOr<std::vector<SizeValues>> heddle::sizesAt(ArrayRef<SizeRange> ranges, ArrayRef<SizeClass> classes,
                                                   ArrayRef<std::string> at) {
  std::vector<SizeValues> lists(ranges.size());
  for (StringRef text : at) {
    StringRef name = text.split('=').first;
    const SizeRange *range = llvm::find_if(ranges, [&](const SizeRange &range) { return range.name == name; });
    if (range == ranges.end()) {
      std::string known = llvm::join(llvm::map_range(ranges, [](const SizeRange &range) { return range.name; }), ", ");
      return refuse(text + (known.empty()
                                ? ": no size of the model lies in a range; give a range with --dim"
                                : ": no size '" + name + "' lies in a range; the sizes in ranges are " + known));
    }
    SizeValues &list = lists[size_t(range - ranges.begin())];
    if (!list.empty())
      return refuse(name + " is given twice");
    list = *parseNumbers(text); // the text was checked when the option was parsed
    for (size_t number : list)
      if (int64_t(number) < range->low || int64_t(number) > range->high)
        return refuse(text + ": " + Twine(number) + " lies outside " + Twine(range->low) + ".." + Twine(range->high));
  }
  std::vector<SizeValues> choices = {{}};
  for (auto [intervals, list] : llvm::zip_equal(intervalsOf(ranges, classes), lists)) {
    for (SizeInterval interval : list.empty() ? intervals : std::vector<SizeInterval>()) {
      list.push_back(size_t(interval.low));
      if (!interval.isOne())
        list.push_back(size_t(interval.high));
    }
    std::vector<SizeValues> next;
    for (const SizeValues &choice : choices)
      for (size_t number : list) {
        next.push_back(choice);
        next.back().push_back(number);
      }
    choices = std::move(next);
  }
  return choices;
}
