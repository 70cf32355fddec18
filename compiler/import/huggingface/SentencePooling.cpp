//===- SentencePooling.cpp - pooling of sentence vectors ------------------===//

#include "SentencePooling.h"

#include "heddle/Json.h"

#include "Config.h"
#include "PooledTokens.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

/// A kind of pooling: its name in the field `pooling_mode`, the flag that selects it in older files, and the function
/// that builds it.
struct SentencePooling::Mode {
  StringRef name, flag;
  Pool pool;
};

/// Returns all kinds of pooling, in the order in which vectors are concatenated if an older file sets several flags.
ArrayRef<SentencePooling::Mode> SentencePooling::getModes() {
  static const Mode modes[] = {
      {"cls", "pooling_mode_cls_token", firstOfTokens},
      {"max", "pooling_mode_max_tokens", maximumOfTokens},
      {"mean", "pooling_mode_mean_tokens", meanOfTokens},
      {"mean_sqrt_len_tokens", "pooling_mode_mean_sqrt_len_tokens", meanByRootOfTokens},
      {"weightedmean", "pooling_mode_weightedmean_tokens", weightedMeanOfTokens},
      {"lasttoken", "pooling_mode_lasttoken", lastOfTokens},
  };
  return modes;
}

SentencePooling::SentencePooling(StringRef name, int64_t width) : width(width) {
  const Mode *mode = llvm::find_if(getModes(), [&](const Mode &mode) { return mode.name == name; });
  assert(mode != getModes().end() && "not a kind of pooling");
  modes.push_back(mode->pool);
}

FailureOr<SentencePooling> SentencePooling::read(MLIRContext &context, StringRef path) {
  FailureOr<llvm::json::Object> object = readJsonObject(context, path);
  if (failed(object))
    return failure();
  Config config(FileLineColLoc::get(&context, path, 0, 0), *object);
  SentencePooling pooling;
  pooling.width = config.size(object->get("embedding_dimension") ? "embedding_dimension" : "word_embedding_dimension");
  config.ignore({"word_embedding_dimension"});
  // Excluding the prompt would require an additional input with the length of the prompt.
  if (!config.flag("include_prompt", true))
    config.refuse("include_prompt") << "false is not supported: pooling cannot exclude the prompt";

  const llvm::json::Value *named = object->get("pooling_mode");
  std::vector<std::string> names;
  if (named && named->getAsString())
    names = {config.string("pooling_mode", "").str()};
  else
    names = config.strings("pooling_mode");
  for (const Mode &mode : getModes())
    if (config.flag(mode.flag) && !named)
      pooling.modes.push_back(mode.pool);
  for (const std::string &name : names) {
    const Mode *mode = llvm::find_if(getModes(), [&](const Mode &mode) { return mode.name == name; });
    if (mode != getModes().end())
      pooling.modes.push_back(mode->pool);
    else
      config.refuse("pooling_mode") << "'" << name << "' is not supported";
  }
  if (!config.failed() && pooling.modes.empty())
    config.refuse("pooling_mode_mean_tokens") << "expected a kind of pooling, found none";
  config.refuseUnread();
  if (config.failed())
    return failure();
  return pooling;
}

Value SentencePooling::build(ImplicitLocOpBuilder &builder, Value hidden, Value mask) const {
  SmallVector<Value> parts;
  for (Pool pool : modes)
    parts.push_back(pool(builder, hidden, mask));
  return parts.size() == 1 ? parts.front() : tensor::ConcatOp::create(builder, /*dim=*/1, parts);
}
