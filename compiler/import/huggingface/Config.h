//===- Config.h - checked values of a config.json ---------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_CONFIG_H
#define HEDDLE_IMPORT_HUGGINGFACE_CONFIG_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/JSON.h"

namespace heddle {

/// Reads fields of a JSON object; what is missing or has another type is an
/// error that names the file and the field. Getters return something usable
/// after an error; `failed` says whether there was one.
class Config {
public:
  Config(mlir::Location loc, const llvm::json::Object &object) : loc(loc), object(object) {}

  /// A number of at least 1.
  int64_t size(llvm::StringRef field) {
    std::optional<int64_t> value = object.getInteger(field);
    constexpr int64_t limit = int64_t(1) << 31;
    if (value && *value >= 1 && *value <= limit)
      return *value;
    refuse(field) << "expected a positive number";
    return 1;
  }

  /// As above; `fallback` if the field is missing.
  int64_t size(llvm::StringRef field, int64_t fallback) { return object.get(field) ? size(field) : fallback; }

  /// `fallback` if the field is missing.
  double number(llvm::StringRef field, double fallback) {
    if (!object.get(field))
      return fallback;
    if (std::optional<double> value = object.getNumber(field))
      return *value;
    refuse(field) << "expected a number";
    return 0;
  }

  /// `fallback` if the field is missing.
  llvm::StringRef string(llvm::StringRef field, llvm::StringRef fallback) {
    if (!object.get(field))
      return fallback;
    if (std::optional<llvm::StringRef> value = object.getString(field))
      return *value;
    refuse(field) << "expected a string";
    return fallback;
  }

  /// False if the field is missing.
  bool flag(llvm::StringRef field) {
    if (!object.get(field))
      return false;
    if (std::optional<bool> value = object.getBoolean(field))
      return *value;
    refuse(field) << "expected true or false";
    return false;
  }

  mlir::InFlightDiagnostic refuse(llvm::StringRef field) {
    bad = true;
    return emitError(loc) << field << ": ";
  }

  bool failed() const { return bad; }
  mlir::Location getLoc() const { return loc; }

private:
  mlir::Location loc;
  const llvm::json::Object &object;
  bool bad = false;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_CONFIG_H
