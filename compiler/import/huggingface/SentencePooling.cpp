//===- SentencePooling.cpp - modules.json of sentence-transformers --------===//

#include "SentencePooling.h"

#include "heddle/Json.h"

#include "Config.h"
#include "Tensors.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace heddle;

static std::string join(StringRef directory, StringRef name) {
  SmallString<128> path(directory);
  llvm::sys::path::append(path, name);
  return std::string(path);
}

LogicalResult SentencePooling::readPooling(MLIRContext &context, StringRef path, int64_t hidden) {
  FailureOr<llvm::json::Object> object = readJsonObject(context, path);
  if (failed(object))
    return failure();
  Config config(FileLineColLoc::get(&context, path, 0, 0), *object);
  if (int64_t dimension = config.size("word_embedding_dimension"); !config.failed() && dimension != hidden)
    config.refuse("word_embedding_dimension") << "expected the encoder's " << hidden << ", found " << dimension;
  const std::pair<StringRef, Mode> known[] = {{"pooling_mode_cls_token", Mode::Cls},
                                              {"pooling_mode_max_tokens", Mode::Max},
                                              {"pooling_mode_mean_tokens", Mode::Mean},
                                              {"pooling_mode_mean_sqrt_len_tokens", Mode::MeanSqrtLength}};
  for (auto [field, mode] : known)
    if (config.flag(field))
      modes.push_back(mode);
  for (StringRef field : {"pooling_mode_weightedmean_tokens", "pooling_mode_lasttoken"})
    if (config.flag(field))
      config.refuse(field) << "this kind of pooling is not supported";
  if (!config.failed() && modes.empty())
    config.refuse("pooling_mode_mean_tokens") << "expected a kind of pooling, found none";
  return failure(config.failed());
}

bool SentencePooling::isIn(StringRef directory) { return llvm::sys::fs::exists(join(directory, "modules.json")); }

FailureOr<std::optional<SentencePooling>> SentencePooling::read(MLIRContext &context, StringRef directory,
                                                                int64_t hidden) {
  std::string path = join(directory, "modules.json");
  if (!isIn(directory))
    return std::optional<SentencePooling>();
  FailureOr<llvm::json::Array> modules = readJsonArray(context, path);
  if (failed(modules))
    return failure();
  Location loc = FileLineColLoc::get(&context, path, 0, 0);
  SentencePooling pooling;
  for (const llvm::json::Value &value : *modules) {
    const llvm::json::Object *module = value.getAsObject();
    std::optional<StringRef> type = module ? module->getString("type") : std::nullopt;
    std::optional<StringRef> folder = module ? module->getString("path") : std::nullopt;
    if (!type || !folder)
      return emitError(loc) << "expected modules with type and path";
    StringRef name = type->rsplit('.').second.empty() ? *type : type->rsplit('.').second;
    if (name == "Transformer") {
      if (!folder->empty())
        return emitError(loc) << "the encoder is expected in the directory itself, found in '" << *folder
                              << "'";
    } else if (name == "Pooling" && pooling.modes.empty()) {
      if (failed(pooling.readPooling(context, join(join(directory, *folder), "config.json"), hidden)))
        return failure();
    } else if (name == "Normalize" && !pooling.modes.empty()) {
      pooling.normalize = true;
    } else {
      return emitError(loc) << "module " << *type << " is not supported, only Transformer, Pooling and "
                            << "Normalize, in this order";
    }
  }
  if (pooling.modes.empty())
    return std::optional<SentencePooling>();
  return std::optional<SentencePooling>(std::move(pooling));
}

static Value atLeast(ImplicitLocOpBuilder &builder, Value value, double bound) {
  Value bounds = splat(builder, cast<RankedTensorType>(value.getType()), bound);
  return arith::MaximumFOp::create(builder, value, bounds);
}

/// As torch.nn.functional.normalize: divided by the Euclidean length, at least 1e-12.
static Value normalizeRows(ImplicitLocOpBuilder &builder, Value rows) {
  Value squares = arith::MulFOp::create(builder, rows, rows);
  Value length = math::SqrtOp::create(builder, reduce(builder, squares, 1));
  length = atLeast(builder, length, 1e-12);
  return arith::DivFOp::create(builder, rows,
                               broadcast(builder, length, cast<RankedTensorType>(rows.getType()), {1}));
}

Value SentencePooling::build(ImplicitLocOpBuilder &builder, Value hidden, Value mask) const {
  auto type = cast<RankedTensorType>(hidden.getType());
  int64_t batch = type.getDimSize(0), width = type.getDimSize(2);
  auto rowsType = RankedTensorType::get({batch, width}, type.getElementType());
  auto flagsType = type.clone(builder.getI1Type());

  SmallVector<Value> parts;
  for (Mode mode : modes) {
    if (mode == Mode::Cls) {
      parts.push_back(takeToken(builder, hidden, 0));
      continue;
    }
    if (mode == Mode::Max) {
      Value flags = broadcast(builder, mask, flagsType, {2});
      Value kept = arith::SelectOp::create(builder, flags, hidden, splat(builder, type, -1e9));
      parts.push_back(reduce(builder, kept, 1, /*maximum=*/true));
      continue;
    }
    auto countType = cast<RankedTensorType>(mask.getType()).clone(type.getElementType());
    Value ones = arith::UIToFPOp::create(builder, countType, mask);
    Value weighted = arith::MulFOp::create(builder, hidden, broadcast(builder, ones, type, {2}));
    Value sum = reduce(builder, weighted, 1), count = reduce(builder, ones, 1);
    count = atLeast(builder, count, 1e-9);
    if (mode == Mode::MeanSqrtLength)
      count = math::SqrtOp::create(builder, count);
    parts.push_back(arith::DivFOp::create(builder, sum, broadcast(builder, count, rowsType, {1})));
  }
  Value result = parts.front();
  if (parts.size() > 1)
    result = tensor::ConcatOp::create(builder, /*dim=*/1, parts);
  return normalize ? normalizeRows(builder, result) : result;
}
