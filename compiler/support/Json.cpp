//===- Json.cpp - parsing JSON --------------------------------------------===//

#include "heddle/Json.h"

#include "heddle/InputFile.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

/// The maximum number of arrays and objects that enclose each other. LLVM's parser is recursive, so a file with a
/// million brackets would overflow the stack.
static constexpr int maxDepthOfJson = 100;

static bool nestsTooDeepForJson(StringRef text) {
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
      continue;
    }
    if (c == '"')
      inString = true;
    else if (c == '[' || c == '{') {
      if (++depth > maxDepthOfJson)
        return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

/// Returns a name that occurs twice in an object of `text`, if there is one. LLVM's parser does not report such a name
/// and keeps only the last of the members. The parser must have accepted `text`.
static std::optional<std::string> findDuplicateName(StringRef text) {
  // An entry for each object or array that is not closed yet. It contains the names in an object, and is empty for an
  // array.
  SmallVector<llvm::StringSet<>> objects;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '{' || c == '[')
      objects.emplace_back();
    else if (c == '}' || c == ']')
      objects.pop_back();
    if (c != '"')
      continue;
    size_t start = i++;
    while (text[i] != '"')
      i += text[i] == '\\' ? 2 : 1;
    if (!text.drop_front(i + 1).ltrim().starts_with(":"))
      continue;
    // Decode escape sequences, because a text may write one name in two ways.
    StringRef quoted = text.slice(start, i + 1);
    std::string name = llvm::cantFail(llvm::json::parse(quoted)).getAsString()->str();
    if (!objects.back().insert(name).second)
      return name;
  }
  return std::nullopt;
}

/// Parses `text`. Emits an error if the text is not valid JSON or contains a duplicate name.
static FailureOr<llvm::json::Value> parseJson(Location loc, StringRef text) {
  if (nestsTooDeepForJson(text))
    return emitError(loc) << "the JSON text is nested more than " << maxDepthOfJson << " levels deep";
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return emitError(loc) << "not valid JSON: " << llvm::toString(value.takeError());
  if (std::optional<std::string> name = findDuplicateName(text))
    return emitError(loc) << "the name '" << *name << "' occurs twice in one JSON object";
  return std::move(*value);
}

static FailureOr<llvm::json::Value> readJson(Location loc, StringRef path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = heddle::readRegularFile(path);
  if (!buffer)
    return emitError(loc) << llvm::toString(buffer.takeError());
  return parseJson(loc, (*buffer)->getBuffer());
}

static FailureOr<llvm::json::Object> expectObject(Location loc, FailureOr<llvm::json::Value> value) {
  if (failed(value))
    return failure();
  if (llvm::json::Object *object = value->getAsObject())
    return std::move(*object);
  return emitError(loc) << "expected a JSON object";
}

FailureOr<llvm::json::Object> heddle::parseJsonObject(Location loc, StringRef text) {
  return expectObject(loc, parseJson(loc, text));
}

FailureOr<llvm::json::Object> heddle::readJsonObject(MLIRContext &context, StringRef path) {
  Location loc = FileLineColLoc::get(&context, path, 0, 0);
  return expectObject(loc, readJson(loc, path));
}

FailureOr<llvm::json::Array> heddle::readJsonArray(MLIRContext &context, StringRef path) {
  Location loc = FileLineColLoc::get(&context, path, 0, 0);
  FailureOr<llvm::json::Value> value = readJson(loc, path);
  if (failed(value))
    return failure();
  if (llvm::json::Array *array = value->getAsArray())
    return std::move(*array);
  return emitError(loc) << "expected a JSON array";
}
