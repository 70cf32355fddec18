//===- RunGenerate.cpp - heddle run --generate ----------------------------===//

#include "RunGenerate.h"

#include "heddle/Safetensors.h"
#include "heddle/Verify.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace heddle;

/// Returns the tensor `name` of the file, or nullopt if the file contains no tensor of this name. Emits an error unless
/// the elements are integers and the tensor has two dimensions, [batch, length of the longest prompt].
static FailureOr<std::optional<Tensor>> readRows(Location loc, const WeightStore &file, StringRef name) {
  const StoredTensor *stored = file.find(name);
  if (!stored)
    return std::optional<Tensor>();
  if (stored->type.getRank() != 2 || !stored->type.getElementType().isSignlessInteger())
    return emitError(loc) << "tensor '" << name << "': expected a tensor of integers with 2 dimensions, found "
                          << stored->type;
  FailureOr<Tensor> tensor = Tensor::fromBytes(stored->type.getShape(), stored->type.getElementType(), stored->bytes);
  if (failed(tensor))
    return failure();
  return std::optional(std::move(*tensor));
}

FailureOr<std::vector<Tokens>> heddle::readPrompts(MLIRContext &context, StringRef path) {
  Location loc = FileLineColLoc::get(&context, path, 0, 0);
  WeightStore file;
  if (failed(readSafetensors(context, path, file)))
    return failure();
  auto ids = readRows(loc, file, "input_ids"), mask = readRows(loc, file, "attention_mask");
  if (failed(ids) || failed(mask))
    return failure();
  if (!*ids || (*ids)->size() == 0)
    return emitError(loc) << "expected a tensor 'input_ids' with at least one token";
  if (*mask && (*mask)->shape() != (*ids)->shape())
    return emitError(loc) << "tensor 'attention_mask': expected the shape of 'input_ids', " << (*ids)->tensorType()
                          << ", found " << (*mask)->tensorType();
  std::vector<Tokens> prompts((*ids)->dim(0));
  int64_t longest = (*ids)->dim(1);
  for (auto [row, prompt] : llvm::enumerate(prompts)) {
    for (int64_t i = row * longest; i < int64_t(row + 1) * longest; ++i)
      if (!*mask || (*mask)->ints()[i] != 0)
        prompt.push_back((*ids)->ints()[i]);
    if (prompt.empty())
      return emitError(loc) << "all tokens of row " << row
                            << " of 'input_ids' are padding: 'attention_mask' is 0 for each";
  }
  return prompts;
}

/// Returns the length of the longest prompt.
static int64_t longestOf(ArrayRef<Tokens> prompts) {
  return llvm::max_element(prompts, [](const Tokens &a, const Tokens &b) { return a.size() < b.size(); })->size();
}

/// Returns the capacity of the states that `count` generated tokens need, in tokens. The keys and values of the last
/// generated token are never stored, so this token needs no room.
static int64_t capacityFor(ArrayRef<Tokens> prompts, int64_t count) { return longestOf(prompts) + count - 1; }

void heddle::addDecoderDims(ModelArguments &arguments, ArrayRef<Tokens> prompts, int64_t count) {
  auto add = [&](StringRef name, const Twine &size) {
    std::string prefix = (name + "=").str();
    if (llvm::none_of(arguments.dims, [&](StringRef dim) { return dim.starts_with(prefix); }))
      arguments.dims.push_back((prefix + size).str());
  };
  constexpr int64_t maxAtOnce = 512;
  add("batch_size", Twine(prompts.size()));
  add("sequence_length", "1.." + Twine(std::min(longestOf(prompts), maxAtOnce)));
  add("capacity", Twine(capacityFor(prompts, count)));
}

FailureOr<std::pair<NamedValues, int64_t>> heddle::sizesForPrompts(const Model &model, ArrayRef<Tokens> prompts,
                                                                   int64_t count, StringRef path) {
  Location loc = FileLineColLoc::get(model.module.get().getContext(), path, 0, 0);
  auto main = model.main();
  llvm::StringMap<SizeRange> given;
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    for (auto [name, extent] : llvm::zip(notes::dims.get(main, i).value_or(Strings()),
                                         cast<RankedTensorType>(main.getArgumentTypes()[i]).getShape()))
      given[name] = {name, extent, extent, 0};
  for (const SizeRange &range : rangesOf(model))
    given[range.name] = range;
  NamedValues sizes;
  auto choose = [&](StringRef name, int64_t wanted, bool orMore) -> LogicalResult {
    SizeRange range = given.lookup(name);
    int64_t size = orMore ? std::max(wanted, range.low) : wanted;
    if (size < range.low || size > range.high)
      return emitError(loc) << "the model has " << name << "=" << range.low << (range.low == range.high ? "" : "..")
                            << (range.low == range.high ? "" : std::to_string(range.high))
                            << ", but the prompts and --generate need " << wanted;
    sizes[name] = size;
    return success();
  };
  if (failed(choose("batch_size", prompts.size(), false)) || failed(choose("sequence_length", 1, false)) ||
      failed(choose("capacity", capacityFor(prompts, count), true)))
    return failure();
  return std::pair(std::move(sizes), given.lookup("sequence_length").high);
}

/// Returns the size n of the model's vocabulary. Tokens are numbers from 0 to n - 1.
static int64_t vocabularyOf(const Model &model) {
  auto main = model.main();
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (auto range = notes::range.get(main, i); range && argumentName(main, i) == "input_ids")
      return range->high + 1;
  llvm_unreachable("the input_ids of a decoder have a range");
}

/// Returns an error text for a token outside of the vocabulary, or "" if the token is in the vocabulary.
static std::string outside(int64_t token, int64_t vocabulary) {
  if (token >= 0 && token < vocabulary)
    return "";
  return "outside 0.." + std::to_string(vocabulary - 1) + ": the vocabulary has " + std::to_string(vocabulary) + " tokens";
}

LogicalResult heddle::checkPrompts(const Model &model, ArrayRef<Tokens> prompts, StringRef path) {
  int64_t vocabulary = vocabularyOf(model);
  for (auto [row, prompt] : llvm::enumerate(prompts))
    for (auto [place, token] : llvm::enumerate(prompt))
      if (std::string wrong = outside(token, vocabulary); !wrong.empty())
        return emitError(FileLineColLoc::get(model.module.get().getContext(), path, 0, 0))
               << "token " << place << " of row " << row << " of 'input_ids' is " << token << ", " << wrong;
  return success();
}

FailureOr<Tokens> heddle::readStops(const Model &model, ArrayRef<std::string> texts) {
  int64_t vocabulary = vocabularyOf(model);
  Tokens stops;
  for (StringRef text : texts) {
    // If the number does not fit into 64 bits, the token remains -1, which is outside of the vocabulary.
    int64_t token = -1;
    (void)text.getAsInteger(10, token);
    if (std::string wrong = outside(token, vocabulary); !wrong.empty())
      return emitError(model.module.get().getLoc()) << "--stop " << text << ": " << wrong;
    stops.push_back(token);
  }
  return stops;
}

LogicalResult heddle::writeTokens(MLIRContext &context, ArrayRef<Tokens> tokens, StringRef path) {
  std::vector<int64_t> all;
  for (const Tokens &row : tokens)
    llvm::append_range(all, row);
  int64_t batch = tokens.size(), count = tokens.front().size();
  std::vector<char> bytes = Tensor({batch, count}, IntegerType::get(&context, 64), std::move(all)).toBytes();
  auto type = RankedTensorType::get({batch, count}, IntegerType::get(&context, 64));
  return writeSafetensors(context, path, {{"tokens", {type, bytes}}});
}
