//===- Config.h - checked values of a config.json ---------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_CONFIG_H
#define HEDDLE_IMPORT_HUGGINGFACE_CONFIG_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/JSON.h"

#include <memory>
#include <set>

namespace heddle {

/// Reads fields of a JSON object; what is missing or has another type is an
/// error that names the file and the field. Getters return something usable
/// after an error; `failed` says whether there was one.
///
/// Which fields are asked for is recorded, so that one that nobody looks at shows.
class Config {
public:
  Config(mlir::Location loc, const llvm::json::Object &object);

  /// Whether the field is there and not null.
  bool has(llvm::StringRef field);
  /// Whether the field is not there: null often means something else than that.
  bool isMissing(llvm::StringRef field);

  /// A number of at least `least`.
  int64_t size(llvm::StringRef field, int64_t least = 1);
  /// As above; `fallback` if the field is missing.
  int64_t sizeOr(llvm::StringRef field, int64_t fallback, int64_t least = 1);
  /// As above; `fallback` if it is null, too.
  int64_t sizeOrNull(llvm::StringRef field, int64_t fallback, int64_t least = 1);

  /// A number of layers, each of which is built: at most 65536.
  int64_t layers(llvm::StringRef field);

  /// A finite number; `fallback` if the field is missing.
  double number(llvm::StringRef field, double fallback);
  /// `fallback` if the field is missing.
  llvm::StringRef string(llvm::StringRef field, llvm::StringRef fallback);
  /// `fallback` if the field is missing.
  bool flag(llvm::StringRef field, bool fallback = false);
  /// The strings of an array; none if the field is missing or null.
  std::vector<std::string> strings(llvm::StringRef field);
  /// As above; or the one string that the field holds.
  std::vector<std::string> oneOrMoreStrings(llvm::StringRef field);
  /// The numbers of an array; none if the field is missing or null.
  std::vector<double> numbers(llvm::StringRef field);
  /// The number of fields of the object that the field holds; 0 if it is missing or null.
  int64_t count(llvm::StringRef field);
  /// The names of all fields, sorted.
  std::vector<std::string> names() const;
  /// The object that the field holds, an empty one if it is missing or null. Its fields are recorded
  /// as "field.inner", its errors are this config's.
  Config nested(llvm::StringRef field);

  /// Fields that do not change what the model computes, whatever they hold.
  void ignore(llvm::ArrayRef<llvm::StringRef> fields);

  mlir::InFlightDiagnostic refuse(llvm::StringRef field);

  /// Refuses the fields that were neither asked for nor ignored, here and in nested objects.
  void refuseUnread();

  /// The fields that were asked for, "field.inner" among them.
  const std::set<std::string> &getRead() const { return record->read; }

  /// What they hold, one a line; defaults are not among them.
  std::string getReadText() const;

  bool failed() const { return record->bad; }
  mlir::Location getLoc() const { return loc; }

private:
  /// What a config and those nested in it have in common.
  struct Record {
    std::set<std::string> read, ignored;
    std::vector<std::pair<const llvm::json::Object *, std::string>> nested; // with the prefix of their fields
    bool bad = false;
  };

  Config(mlir::Location loc, const llvm::json::Object &object, std::shared_ptr<Record> record, std::string prefix)
      : loc(loc), object(&object), record(std::move(record)), prefix(std::move(prefix)) {}

  /// Calls `visit` with all fields, those of nested objects as "field.inner", sorted by their names.
  void forEach(llvm::function_ref<void(const std::string &, const llvm::json::Value &)> visit) const;

  /// The field's value, which is recorded as asked for; null if it is missing.
  const llvm::json::Value *find(llvm::StringRef field);

  mlir::Location loc;
  const llvm::json::Object *object;
  std::shared_ptr<Record> record;
  std::string prefix; // of names of fields in messages and records
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_CONFIG_H
