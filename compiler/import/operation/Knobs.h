//===- Knobs.h - the name=value words of a quoted operation -----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_OPERATION_KNOBS_H
#define HEDDLE_IMPORT_OPERATION_KNOBS_H

#include "../sizes/Dim.h"

#include "heddle/Import.h"

#include "mlir/IR/Diagnostics.h"

namespace heddle {

/// The words after an operation's name. Each knob is asked for once, with its
/// default; whatever is wrong is kept until `finish`, which reports the first
/// mistake, and names nobody asked for together with the list of those that
/// exist. Functions return something usable after a mistake. What was asked for
/// is also what there is to say about an operation's knobs: `getKnown`.
class Knobs {
public:
  /// `dims` has what each size in a range is in this import.
  Knobs(mlir::Location loc, llvm::StringRef operation, llvm::StringRef words,
        const llvm::StringMap<int64_t> &dims = {});

  /// A positive number; an error without one if there is no default. `fallbackText` says what
  /// the default is where other knobs decide.
  int64_t size(llvm::StringRef name, std::optional<int64_t> fallback = std::nullopt, llvm::StringRef fallbackText = "");
  /// The first of several names that is given, for a knob known under two.
  int64_t size(llvm::ArrayRef<llvm::StringRef> names, std::optional<int64_t> fallback = std::nullopt,
               llvm::StringRef fallbackText = "");
  /// The same of batches, rows or positions, which may lie in a range, LOW..HIGH.
  Dim anySize(llvm::ArrayRef<llvm::StringRef> names, std::optional<Dim> fallback = std::nullopt,
              llvm::StringRef fallbackText = "");
  /// A size from the value of a knob that was asked for as text; nothing if that was a mistake.
  std::optional<Dim> readSize(llvm::StringRef name, llvm::StringRef value, bool mayVary);
  /// The sizes in ranges that were asked for.
  const std::vector<DimRange> &ranges() const { return found; }
  /// A number, "inf" and "-inf" included; `common` has some that are, for who is told of the knob or tries it.
  std::optional<double> number(llvm::StringRef name, llvm::StringRef fallbackText,
                               llvm::ArrayRef<llvm::StringRef> common = {});
  double number(llvm::StringRef name, double fallback, llvm::ArrayRef<llvm::StringRef> common = {});
  /// 0 or 1, or the bare name for 1.
  bool flag(llvm::StringRef name, bool fallback);
  /// One of `choices`, by index.
  unsigned choice(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> choices, unsigned fallback = 0);
  /// The text of the value, which is to be as `expected` says.
  std::optional<llvm::StringRef> text(llvm::StringRef name, llvm::StringRef expected, llvm::StringRef fallbackText);

  /// Notes a mistake, to be reported by `finish`.
  void refuse(llvm::StringRef name, const llvm::Twine &reason);
  /// Notes that the value of a knob that was asked for is not as expected.
  void refuseValue(llvm::StringRef name);
  /// Notes that what was asked for has results that hang on the last digits of its inputs: a comparison shows nothing.
  void noteIllConditioned() { isIllConditioned = true; }

  /// From now on `finish` fails without an error: knobs are asked for to be described.
  void onlyDescribe() { describing = true; }
  /// All that were asked for, in this order.
  const std::vector<KnobDescription> &getKnown() const { return known; }
  /// As heddle::isJudgeable says.
  bool areJudgeable() const { return mistake.empty() && findUnknown().empty() && !isIllConditioned; }

  /// Fails if there was a mistake.
  mlir::LogicalResult finish();

private:
  /// What is given by this name.
  std::optional<llvm::StringRef> find(llvm::StringRef name) const;
  /// The same of a knob with one name, which is asked for.
  std::optional<llvm::StringRef> ask(KnobDescription knob);
  std::vector<std::string> listNames() const;
  /// The first name given that no knob has, or "".
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
