//===- Config.cpp - checked values of a config.json -----------------------===//

#include "Config.h"

#include <cmath>
#include <map>

using namespace mlir;
using namespace heddle;

Config::Config(Location loc, const llvm::json::Object &object, const llvm::StringMap<std::string> *origins)
    : loc(loc), object(&object), record(std::make_shared<Record>()) {
  record->origins = origins;
}

std::string Config::Record::nameOf(const std::string &field) const {
  std::string origin = origins ? origins->lookup(field) : "";
  return origin.empty() ? field : origin;
}

const llvm::json::Value *Config::find(StringRef field) {
  record->read.insert(prefix + field.str());
  return object->get(field);
}

InFlightDiagnostic Config::refuse(StringRef field) {
  record->bad = true;
  return emitError(loc) << record->nameOf(prefix + field.str()) << ": ";
}

bool Config::has(StringRef field) {
  const llvm::json::Value *value = find(field);
  return value && !value->getAsNull();
}

bool Config::isMissing(StringRef field) { return !find(field); }

/// Returns the end of an error message about the value of a field: the value, or its kind if it is an array or an
/// object. `found` is null if the field is missing.
static std::string foundText(const llvm::json::Value *found) {
  if (!found)
    return ", but the field is missing";
  if (found->getAsArray())
    return ", found an array";
  if (found->getAsObject())
    return ", found an object";
  std::string text;
  llvm::raw_string_ostream(text) << ", found " << *found;
  return text;
}

int64_t Config::size(StringRef field, int64_t minimum) {
  const llvm::json::Value *found = find(field);
  std::optional<int64_t> value = found ? found->getAsInteger() : std::nullopt;
  constexpr int64_t limit = int64_t(1) << 31;
  if (value && *value >= minimum && *value <= limit)
    return *value;
  refuse(field) << "expected an integer from " << minimum << " to " << limit << foundText(found);
  return minimum;
}

int64_t Config::sizeOr(StringRef field, int64_t fallback, int64_t minimum) {
  return find(field) ? size(field, minimum) : fallback;
}

int64_t Config::sizeOrNull(StringRef field, int64_t fallback, int64_t minimum) {
  return has(field) ? size(field, minimum) : fallback;
}

int64_t Config::layers(StringRef field) {
  constexpr int64_t limit = 1 << 16;
  int64_t count = size(field);
  if (count <= limit)
    return count;
  refuse(field) << "expected at most " << limit << " layers, found " << count;
  return 1;
}

double Config::number(StringRef field, double fallback) {
  const llvm::json::Value *found = find(field);
  if (!found)
    return fallback;
  if (std::optional<double> value = found->getAsNumber(); value && std::isfinite(*value))
    return *value;
  refuse(field) << "expected a number" << foundText(found);
  return 0;
}

StringRef Config::string(StringRef field, StringRef fallback) {
  const llvm::json::Value *found = find(field);
  if (!found)
    return fallback;
  if (std::optional<StringRef> value = found->getAsString())
    return *value;
  refuse(field) << "expected a string" << foundText(found);
  return fallback;
}

bool Config::flag(StringRef field, bool fallback) {
  const llvm::json::Value *found = find(field);
  if (!found)
    return fallback;
  if (std::optional<bool> value = found->getAsBoolean())
    return *value;
  refuse(field) << "expected true or false" << foundText(found);
  return fallback;
}

std::vector<std::string> Config::strings(StringRef field) {
  std::vector<std::string> values;
  if (!has(field))
    return values;
  const llvm::json::Array *array = find(field)->getAsArray();
  bool all = array && llvm::all_of(*array, [&](const llvm::json::Value &value) {
    std::optional<StringRef> text = value.getAsString();
    values.push_back(text.value_or("").str());
    return text.has_value();
  });
  if (all)
    return values;
  refuse(field) << "expected an array of strings";
  return {};
}

std::vector<std::string> Config::oneOrMoreStrings(StringRef field) {
  const llvm::json::Value *found = find(field);
  std::optional<StringRef> text = found ? found->getAsString() : std::nullopt;
  return text ? std::vector{text->str()} : strings(field);
}

std::vector<double> Config::numbers(StringRef field) {
  std::vector<double> values;
  if (!has(field))
    return values;
  const llvm::json::Array *array = find(field)->getAsArray();
  bool all = array && llvm::all_of(*array, [&](const llvm::json::Value &value) {
    std::optional<double> number = value.getAsNumber();
    values.push_back(number.value_or(0));
    return number && std::isfinite(*number);
  });
  if (all)
    return values;
  refuse(field) << "expected an array of numbers";
  return {};
}

int64_t Config::count(StringRef field) {
  if (!has(field))
    return 0;
  if (const llvm::json::Object *inner = find(field)->getAsObject())
    return inner->size();
  refuse(field) << "expected an object";
  return 0;
}

std::vector<std::string> Config::names() const {
  std::vector<std::string> names;
  for (const auto &[field, value] : *object)
    names.push_back(StringRef(field).str());
  llvm::sort(names);
  return names;
}

Config Config::nested(StringRef field) {
  static const llvm::json::Object empty;
  const llvm::json::Object *inner = has(field) ? find(field)->getAsObject() : &empty;
  if (!inner) {
    refuse(field) << "expected an object";
    inner = &empty;
  }
  std::string before = prefix + field.str() + ".";
  record->nested.push_back({inner, before});
  return Config(loc, *inner, record, before);
}

void Config::ignore(ArrayRef<StringRef> fields) {
  for (StringRef field : fields)
    record->ignored.insert(prefix + field.str());
}

void Config::forEach(function_ref<void(const std::string &, const llvm::json::Value &)> visit) const {
  std::map<std::string, const llvm::json::Value *> all; // sorted by name: the order in a JSON object is not defined
  auto collect = [&](const llvm::json::Object &fields, const std::string &before) {
    for (const auto &[field, value] : fields)
      all.insert({before + StringRef(field).str(), &value});
  };
  collect(*object, prefix);
  for (const auto &[inner, before] : record->nested)
    collect(*inner, before);
  for (const auto &[name, value] : all)
    visit(name, *value);
}

std::string Config::getReadText() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  forEach([&](const std::string &name, const llvm::json::Value &value) {
    bool isNested = llvm::any_of(record->nested, [&](const auto &nested) { return nested.second == name + "."; });
    if (record->read.count(name) && !isNested)
      os << name << " " << value << "\n";
  });
  return text;
}

void Config::refuseUnread() {
  forEach([&](const std::string &name, const llvm::json::Value &) {
    if (record->read.count(name) || record->ignored.count(name))
      return;
    record->bad = true;
    emitError(loc) << record->nameOf(name) << ": this field is not known, and may change what the model computes";
  });
}
