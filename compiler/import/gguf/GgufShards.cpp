//===- GgufShards.cpp - a model in one or more GGUF files -----------------===//

#include "GgufShards.h"

#include "llvm/Support/Format.h"

using namespace mlir;
using namespace heddle;

/// The keys of a shard: its number from 0 on, the number of shards, and the number of tensors in all shards.
static constexpr StringRef numberKey = "split.no", countKey = "split.count", tensorsKey = "split.tensors.count";

/// Returns the end of the name of shard `number` of `count` shards.
static std::string endOfName(int64_t number, int64_t count) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("-%05d-of-%05d.gguf", int(number + 1), int(count));
  return text;
}

/// Checks that the key has the value `expected`.
static LogicalResult expectValue(const GgufFile &file, StringRef key, int64_t expected) {
  llvm::json::Value found = file.get(key);
  if (found.getAsInteger() == expected)
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << found;
  return emitError(file.getLoc()) << key << ": expected " << expected << ", found " << text;
}

FailureOr<GgufShards> GgufShards::read(MLIRContext &context, StringRef path) {
  GgufShards shards;
  auto add = [&](StringRef name) -> LogicalResult {
    FailureOr<GgufFile> file = GgufFile::read(context, name);
    if (failed(file))
      return failure();
    shards.files.push_back(std::move(*file));
    shards.paths.push_back(name.str());
    return success();
  };
  if (failed(add(path)))
    return failure();
  Location loc = shards.first().getLoc();
  if (!shards.first().find(countKey))
    return shards;
  constexpr int64_t maxCount = 99999; // names of shards contain five digits
  int64_t count = shards.first().get(countKey).getAsInteger().value_or(-1);
  if (count < 0 || count > maxCount)
    return emitError(loc) << countKey << ": expected an integer from 0 to " << maxCount;
  if (count <= 1) // gguf-split writes 0 into a file that it has merged from shards
    return shards;
  if (shards.first().get(numberKey).getAsInteger() != 0)
    return emitError(loc) << numberKey << ": the file is not the first of " << count
                          << " shards: give the file whose name ends in " << endOfName(0, count);
  StringRef stem = path;
  if (!stem.consume_back(endOfName(0, count)))
    return emitError(loc) << "expected the first of " << count << " shards to have a name that ends in "
                          << endOfName(0, count);
  size_t tensors = shards.first().getTensors().size();
  for (int64_t i = 1; i < count; ++i) {
    if (failed(add((stem + endOfName(i, count)).str())) || failed(expectValue(shards.files.back(), numberKey, i)) ||
        failed(expectValue(shards.files.back(), countKey, count)))
      return failure();
    tensors += shards.files.back().getTensors().size();
  }
  if (failed(expectValue(shards.first(), tensorsKey, int64_t(tensors))))
    return failure();
  return shards;
}

const GgufTensor *GgufShards::find(StringRef name) const {
  for (const GgufFile &file : files)
    for (const GgufTensor &tensor : file.getTensors())
      if (tensor.name == name)
        return &tensor;
  return nullptr;
}
