//===- Knobs.h - knobs of quoted operations ---------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_OPERATION_KNOBS_H
#define HEDDLE_IMPORT_OPERATION_KNOBS_H

#include "../sizes/Dim.h"

#include "heddle/Import.h"

#include "mlir/IR/Diagnostics.h"

namespace heddle {

/// The words name=value that follow the name of a quoted operation. The function that builds the operation (the
/// builder) reads each knob once by calling a member function such as `size`. Errors are recorded, and `finish` emits
/// the first error. It is also an error if the user gives a knob that the builder does not read. After an error, all
/// functions still return usable values. The knobs that were read also describe the operation (`getKnown`).
class Knobs {
public:
  /// `dims` contains the values or placeholders of the sizes in ranges for this import, by name.
  Knobs(mlir::Location loc, llvm::StringRef operation, llvm::StringRef words,
        const llvm::StringMap<int64_t> &dims = {});

  /// Reads a positive size. Records an error if the size is not given and has no default. `fallbackText` describes a
  /// default that depends on other knobs.
  int64_t size(llvm::StringRef name, std::optional<int64_t> fallback = std::nullopt, llvm::StringRef fallbackText = "");
  /// Reads a size whose knob has several names. Records an error if the user gives two of these names with different
  /// values.
  int64_t size(llvm::ArrayRef<llvm::StringRef> names, std::optional<int64_t> fallback = std::nullopt,
               llvm::StringRef fallbackText = "");
  /// Reads a size that may also lie in a range LOW..HIGH: a batch size or a number of rows or positions.
  Dim anySize(llvm::ArrayRef<llvm::StringRef> names, std::optional<Dim> fallback = std::nullopt,
              llvm::StringRef fallbackText = "");
  /// Parses `value` as a size. `value` is the text of the knob `name`, such as the result of the member function
  /// `text`. If `mayVary`, the value may be a range. Records an error and returns nothing if the value is invalid.
  std::optional<Dim> readSize(llvm::StringRef name, llvm::StringRef value, bool mayVary);
  /// The sizes in ranges that were read.
  const std::vector<DimRange> &ranges() const { return found; }
  /// Reads a number; "inf" and "-inf" are allowed. The form with `fallbackText`, which describes the default, returns
  /// nothing if the number is not given. `common` are typical values for help texts and for random tests.
  std::optional<double> number(llvm::StringRef name, llvm::StringRef fallbackText,
                               llvm::ArrayRef<llvm::StringRef> common = {});
  double number(llvm::StringRef name, double fallback, llvm::ArrayRef<llvm::StringRef> common = {});
  /// Reads 0 or 1, or false or true. A knob without "=value" means 1.
  bool flag(llvm::StringRef name, bool fallback);
  /// Reads one of `choices` and returns its index.
  unsigned choice(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> choices, unsigned fallback = 0);
  /// Reads text. Returns nothing if the knob is not given. `expected` describes the valid values.
  std::optional<llvm::StringRef> text(llvm::StringRef name, llvm::StringRef expected, llvm::StringRef fallbackText);

  /// Records an error about the knob `name` for `finish`.
  void refuse(llvm::StringRef name, const llvm::Twine &reason);
  /// Records the error that the user gave an invalid value for a knob.
  void refuseValue(llvm::StringRef name);
  /// Records that small errors in the inputs may change the results completely, which makes a comparison of the results
  /// meaningless.
  void noteIllConditioned() { isIllConditioned = true; }

  /// Makes `finish` fail without an error. An operation then reads its knobs but is not built.
  void onlyDescribe() { describing = true; }
  /// The knobs that were read, in the order in which they were read.
  const std::vector<KnobDescription> &getKnown() const { return known; }
  /// Whether all knobs are valid and the operation is not ill-conditioned (heddle::isVerifiable).
  bool areVerifiable() const { return mistake.empty() && findUnknown().empty() && !isIllConditioned; }

  /// Emits an error and fails if the user gave an unknown knob or an error was recorded; only the first recorded error
  /// is emitted. After `onlyDescribe`, fails without an error.
  mlir::LogicalResult finish();

private:
  /// The value that the user gave for this name; nothing if there is no value.
  std::optional<llvm::StringRef> find(llvm::StringRef name) const;
  /// Records that a knob was read, and returns the value that the user gave for its first name; nothing if there is no
  /// value.
  std::optional<llvm::StringRef> read(KnobDescription knob);
  /// Returns the names of all knobs that were read.
  std::vector<std::string> listNames() const;
  /// Returns the first name that the user gave and that no knob has; "" if there is none.
  llvm::StringRef findUnknown() const;
  void refuseRange(llvm::StringRef name, llvm::StringRef value);
  std::optional<Dim> readRange(llvm::StringRef name, llvm::StringRef value);
  /// Implements `size` and `anySize`. If `mayVary`, the size may lie in a range.
  Dim readSizes(llvm::ArrayRef<llvm::StringRef> names, std::optional<Dim> fallback, llvm::StringRef fallbackText,
                bool mayVary);

  mlir::Location loc;
  std::string operation;
  llvm::StringMap<int64_t> dims;                           // as in the constructor
  std::vector<DimRange> found;                             // the sizes in ranges that were read
  // A user may give a renamed knob under an earlier name, which is translated to the current name (KnobNames.h).
  llvm::MapVector<llvm::StringRef, llvm::StringRef> given; // values by the current names of knobs
  llvm::StringMap<llvm::StringRef> written;                // names as they were given, by current names
  std::vector<KnobDescription> known;                      // the knobs that were read
  std::string mistake;                                     // the text of the first error; empty if there is none
  bool describing = false, isIllConditioned = false;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_OPERATION_KNOBS_H
