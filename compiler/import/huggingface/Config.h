//===- Config.h - checked values of a config.json ---------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_CONFIG_H
#define HEDDLE_IMPORT_HUGGINGFACE_CONFIG_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

#include <memory>
#include <set>

namespace heddle {

/// Reads fields of a JSON object. It is an error if a field does not have a type and value that its getter accepts, or
/// if a field is missing and its getter has no fallback. The message names the file and the field. After an error the
/// getters still return usable values, and failed() returns true.
///
/// The names of fields that were read or ignored are recorded. Any other field may change the results of a model, so
/// refuseUnread() emits an error about it.
class Config {
public:
  /// If the fields were derived from another kind of file, such as GGUF, `origins` contains for each field the name of
  /// the entry of that file from which the field was derived. Messages contain this name.
  Config(mlir::Location loc, const llvm::json::Object &object,
         const llvm::StringMap<std::string> *origins = nullptr);

  /// Returns whether the field exists and is not null.
  bool has(llvm::StringRef field);
  /// Returns whether the field does not exist. For many fields, null and a missing field have different meanings.
  bool isMissing(llvm::StringRef field);

  /// Reads an integer from `minimum` to 2^31.
  int64_t size(llvm::StringRef field, int64_t minimum = 1);
  /// Reads an integer as size() does; `fallback` if the field is missing.
  int64_t sizeOr(llvm::StringRef field, int64_t fallback, int64_t minimum = 1);
  /// Reads an integer as size() does; `fallback` if the field is missing or null.
  int64_t sizeOrNull(llvm::StringRef field, int64_t fallback, int64_t minimum = 1);

  /// Reads a number of layers, at most 65536, since each of them is built.
  int64_t layers(llvm::StringRef field);

  /// Reads a finite number; `fallback` if the field is missing.
  double number(llvm::StringRef field, double fallback);
  /// Reads a string; `fallback` if the field is missing.
  llvm::StringRef string(llvm::StringRef field, llvm::StringRef fallback);
  /// Reads a boolean; `fallback` if the field is missing.
  bool flag(llvm::StringRef field, bool fallback = false);
  /// Reads an array of strings; returns an empty array if the field is missing or null.
  std::vector<std::string> strings(llvm::StringRef field);
  /// Reads an array of strings or a single string; returns an empty array if the field is missing or null.
  std::vector<std::string> oneOrMoreStrings(llvm::StringRef field);
  /// Reads an array of numbers; returns an empty array if the field is missing or null.
  std::vector<double> numbers(llvm::StringRef field);
  /// Returns the number of entries of the object in the field; 0 if the field is missing or null.
  int64_t count(llvm::StringRef field);
  /// Returns the sorted names of all fields.
  std::vector<std::string> names() const;
  /// Returns the object in the field; an empty object if the field is missing or null. Its fields are recorded as
  /// "field.inner". After an error in the nested config, failed() also returns true for this config.
  Config nested(llvm::StringRef field);

  /// Marks fields as known without reading them: they do not change what the model computes.
  void ignore(llvm::ArrayRef<llvm::StringRef> fields);

  /// Emits an error about a field; failed() then returns true. The caller appends the reason to the returned
  /// diagnostic.
  mlir::InFlightDiagnostic refuse(llvm::StringRef field);

  /// Emits an error about each field that was neither read nor ignored, including the fields of nested objects.
  void refuseUnread();

  /// Returns the names of the fields that were read. A field of a nested object has a name like "field.inner".
  const std::set<std::string> &getRead() const { return record->read; }

  /// Returns the names and values of the fields that were read, one field per line. Leaves out missing fields.
  std::string getReadText() const;

  /// Returns whether an error was emitted.
  bool failed() const { return record->bad; }
  mlir::Location getLoc() const { return loc; }

private:
  /// State shared by a config and its nested configs.
  struct Record {
    std::set<std::string> read, ignored; // names of fields, with their prefixes
    // The nested objects, each with the prefix of its fields.
    std::vector<std::pair<const llvm::json::Object *, std::string>> nested;
    const llvm::StringMap<std::string> *origins = nullptr; // owned by the caller
    bool bad = false;

    /// Returns the name of a field for messages.
    std::string nameOf(const std::string &field) const;
  };

  Config(mlir::Location loc, const llvm::json::Object &object, std::shared_ptr<Record> record, std::string prefix)
      : loc(loc), object(&object), record(std::move(record)), prefix(std::move(prefix)) {}

  /// Calls `visit` with all fields, sorted by name; nested fields have names like "field.inner".
  void forEach(llvm::function_ref<void(const std::string &, const llvm::json::Value &)> visit) const;

  /// Returns the field's value, or null if the field is missing. Records the field as read.
  const llvm::json::Value *find(llvm::StringRef field);

  mlir::Location loc;
  const llvm::json::Object *object; // owned by the caller
  std::shared_ptr<Record> record;
  std::string prefix; // the prefix of field names in messages and records
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_CONFIG_H
