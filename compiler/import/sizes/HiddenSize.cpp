//===- HiddenSize.cpp - sizes that exist only in the import ---------------===//

#include "HiddenSize.h"

#include "llvm/ADT/STLExtras.h"

using namespace heddle;

std::optional<SizeLimit> heddle::limitOf(const ImportTask &options) {
  if (!options.hidden)
    return std::nullopt;
  const std::string &name = options.hidden->other;
  auto other = llvm::find_if(options.ranges, [&](const DimRange &range) { return range.name == name; });
  if (other == options.ranges.end() || other->low + options.ranges.back().low > options.hidden->maximum)
    return std::nullopt;
  return SizeLimit{unsigned(options.ranges.size()) - 1, unsigned(other - options.ranges.begin()),
                   options.hidden->maximum};
}

int64_t heddle::largestOf(const ImportTask &options, const DimRange &range) {
  std::optional<SizeLimit> limit = limitOf(options);
  bool isHidden = limit && &range == &options.ranges.back();
  return isHidden ? std::clamp(limit->maximum - options.ranges[limit->second].high, range.low, range.high) : range.high;
}
