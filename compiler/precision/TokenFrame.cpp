//===- TokenFrame.cpp - special tokens around a text ----------------------===//
//
// The post-processor in tokenizer.json defines the special tokens that a
// tokenizer adds around a text. This file reads the post-processors
// TemplateProcessing, BertProcessing, RobertaProcessing and Sequence, as in
// Hugging Face tokenizers 0.20.
//
//===----------------------------------------------------------------------===//

#include "TokenFrame.h"

#include "heddle/InputFile.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace heddle;
using llvm::StringRef;
namespace json = llvm::json;

/// Reads a template such as {"SpecialToken": {"id": "[CLS]"}}, {"Sequence": {"id": "A"}}, where "Sequence" is the text.
/// In the template, special tokens have names; "special_tokens" maps the names to numbers.
static TokenFrame frameOfTemplate(const json::Object &processor) {
  TokenFrame frame;
  const json::Array *pieces = processor.getArray("single");
  const json::Object *special = processor.getObject("special_tokens");
  bool isAfter = false;
  for (const json::Value &value : pieces &&special ? *pieces : json::Array()) {
    const json::Object *piece = value.getAsObject();
    const json::Object *token = piece ? piece->getObject("SpecialToken") : nullptr;
    std::optional<StringRef> name = token ? token->getString("id") : std::nullopt;
    const json::Object *entry = name ? special->getObject(*name) : nullptr;
    const json::Array *ids = entry ? entry->getArray("ids") : nullptr;
    for (const json::Value &id : ids ? *ids : json::Array())
      if (std::optional<int64_t> number = id.getAsInteger())
        (isAfter ? frame.after : frame.before).push_back(*number);
    isAfter |= piece && piece->getObject("Sequence");
  }
  return frame;
}

/// Returns the special tokens of a post-processor. In a sequence of post-processors, each adds its tokens around those
/// of the previous ones.
static TokenFrame frameOf(const json::Object &processor) {
  if (const json::Array *processors = processor.getArray("processors")) {
    TokenFrame all;
    for (const json::Value &value : *processors)
      if (const json::Object *one = value.getAsObject()) {
        TokenFrame frame = frameOf(*one);
        all.before.insert(all.before.begin(), frame.before.begin(), frame.before.end());
        all.after.append(frame.after);
      }
    return all;
  }
  TokenFrame frame = frameOfTemplate(processor);
  // For example "cls": ["[CLS]", 101].
  for (auto [name, ids] : {std::make_pair("cls", &frame.before), std::make_pair("sep", &frame.after)})
    if (const json::Array *pair = processor.getArray(name); pair && pair->size() == 2)
      if (std::optional<int64_t> number = (*pair)[1].getAsInteger())
        ids->push_back(*number);
  return frame;
}

TokenFrame heddle::readTokenFrame(StringRef model) {
  llvm::SmallString<128> path(model);
  llvm::sys::path::append(path, "tokenizer.json");
  auto buffer = readRegularFile(path, /*isText=*/true);
  if (!buffer) {
    llvm::consumeError(buffer.takeError());
    return {};
  }
  llvm::Expected<json::Value> file = json::parse((*buffer)->getBuffer());
  if (!file) {
    llvm::consumeError(file.takeError());
    return {};
  }
  const json::Object *object = file->getAsObject();
  const json::Object *processor = object ? object->getObject("post_processor") : nullptr;
  return processor ? frameOf(*processor) : TokenFrame();
}
