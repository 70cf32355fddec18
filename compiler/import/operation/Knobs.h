//===- Knobs.h - knobs of quoted operations ---------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_OPERATION_KNOBS_H
#define HEDDLE_IMPORT_OPERATION_KNOBS_H

#include "../sizes/Dim.h"

#include "heddle/Import.h"

#include "mlir/IR/Diagnostics.h"

namespace heddle {

/// The words name=value after an operation's name. A build function reads each knob once, with its default value.
/// Errors are recorded until `finish`, which reports the first of them; a knob that was never read is reported with a
/// list of the existing ones. After an error all functions still return usable values. The knobs that were read also
/// serve as their description (`getKnown`).
class Knobs {
public:
  /// `dims` has the values of sizes in ranges for this import.
  Knobs(mlir::Location loc, llvm::StringRef operation, llvm::StringRef words,
        const llvm::StringMap<int64_t> &dims = {});

  /// Reads a positive size; it is an error if neither it nor a default is given. `fallbackText` describes a default
  /// that depends on other knobs.
  int64_t size(llvm::StringRef name, std::optional<int64_t> fallback = std::nullopt, llvm::StringRef fallbackText = "");
  /// Reads a size that has several names and returns the first one that is given.
  int64_t size(llvm::ArrayRef<llvm::StringRef> names, std::optional<int64_t> fallback = std::nullopt,
               llvm::StringRef fallbackText = "");
  /// Reads a size that may also lie in a range LOW..HIGH: a batch size or a number of rows or positions.
  Dim anySize(llvm::ArrayRef<llvm::StringRef> names, std::optional<Dim> fallback = std::nullopt,
              llvm::StringRef fallbackText = "");
  /// Parses a size from the value of a knob that was read as text. Returns nothing after an error.
  std::optional<Dim> readSize(llvm::StringRef name, llvm::StringRef value, bool mayVary);
  /// The sizes in ranges that were read.
  const std::vector<DimRange> &ranges() const { return found; }
  /// Reads a number; "inf" and "-inf" are allowed. `common` are typical values for help texts and for random tests.
  std::optional<double> number(llvm::StringRef name, llvm::StringRef fallbackText,
                               llvm::ArrayRef<llvm::StringRef> common = {});
  double number(llvm::StringRef name, double fallback, llvm::ArrayRef<llvm::StringRef> common = {});
  /// Reads 0 or 1; the name without a value means 1.
  bool flag(llvm::StringRef name, bool fallback);
  /// Reads one of `choices` and returns its index.
  unsigned choice(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> choices, unsigned fallback = 0);
  /// Reads text; `expected` describes valid values.
  std::optional<llvm::StringRef> text(llvm::StringRef name, llvm::StringRef expected, llvm::StringRef fallbackText);

  /// Records an error for `finish`.
  void refuse(llvm::StringRef name, const llvm::Twine &reason);
  /// Records the error that the value of a knob is not as expected.
  void refuseValue(llvm::StringRef name);
  /// Records that the results depend on the last digits of the inputs, so that comparing them shows nothing.
  void noteIllConditioned() { isIllConditioned = true; }

  /// Makes `finish` fail without an error: the knobs are read only for their description.
  void onlyDescribe() { describing = true; }
  /// All knobs that were read, in this order.
  const std::vector<KnobDescription> &getKnown() const { return known; }
  /// Implements heddle::isVerifiable.
  bool areVerifiable() const { return mistake.empty() && findUnknown().empty() && !isIllConditioned; }

  /// Fails and emits the first recorded error, if there is one.
  mlir::LogicalResult finish();

private:
  /// The value given for this name.
  std::optional<llvm::StringRef> find(llvm::StringRef name) const;
  /// The value given for a knob, which is recorded as read.
  std::optional<llvm::StringRef> ask(KnobDescription knob);
  std::vector<std::string> listNames() const;
  /// The first given name that no knob has; "" if there is none.
  llvm::StringRef findUnknown() const;
  void refuseRange(llvm::StringRef name, llvm::StringRef value);
  std::optional<Dim> readRange(llvm::StringRef name, llvm::StringRef value);
  Dim readSizes(llvm::ArrayRef<llvm::StringRef> names, std::optional<Dim> fallback, llvm::StringRef fallbackText,
                bool mayVary);

  mlir::Location loc;
  std::string operation;
  llvm::StringMap<int64_t> dims;
  std::vector<DimRange> found;
  llvm::MapVector<llvm::StringRef, llvm::StringRef> given;
  std::vector<KnobDescription> known;
  std::string mistake;
  bool describing = false, isIllConditioned = false;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_OPERATION_KNOBS_H
