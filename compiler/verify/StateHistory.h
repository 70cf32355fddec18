//===- StateHistory.h - what a state was fed --------------------*- C++ -*-===//
//
// A state stands for all that was fed before: calls on it give what one call without a past gives of everything. That
// is held against the interpreter, in f64, where both differ by the order of sums alone.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_VERIFY_STATEHISTORY_H
#define HEDDLE_VERIFY_STATEHISTORY_H

#include "heddle/Ranges.h"
#include "heddle/Verify.h"

#include "States.h"

namespace heddle {

/// Which dimension of each argument of a model counts a call's new rows.
class RowInputs {
public:
  /// Of the model of all sizes. It has none where new rows are no size in a range, or an input that is neither of rows
  /// nor optional says what a call does.
  RowInputs(mlir::func::FuncOp main, llvm::ArrayRef<SizeRange> ranges);

  explicit operator bool() const { return size.has_value(); }
  unsigned sizeNumber() const { return *size; }
  std::optional<unsigned> dimOf(unsigned argument) const { return dims[argument]; }

private:
  std::optional<unsigned> size; // that counts rows, among those in ranges
  std::vector<std::optional<unsigned>> dims;
};

/// Of each sequence the rows of all inputs that its state comes from.
class StateHistory {
public:
  StateHistory(const RowInputs &rows, size_t sequences) : rows(rows), fed(sequences) {}

  /// A call added rows to sequences that had `past`.
  void add(llvm::ArrayRef<Tensor> inputs, llvm::ArrayRef<int64_t> past);
  void copy(size_t from, size_t to) { fed[to] = fed[from]; }

  /// Interprets the last `count` rows of the sequence behind the state `kept`, and all of them at once without a past:
  /// the largest difference between results and states, as a part of the largest number there, or of 1. An error, which
  /// is printed, where one has NaN or an integer that the other has not.
  mlir::FailureOr<double> compareToOneCall(const Model &model, llvm::ArrayRef<SizeRange> ranges, SizeValues sizes,
                                           size_t sequence, size_t count, llvm::ArrayRef<Tensor> kept) const;

private:
  using Row = llvm::SmallVector<Tensor>; // of each argument; none where it has no rows

  const RowInputs &rows;
  std::vector<std::vector<Row>> fed; // by sequence
};

} // namespace heddle

#endif // HEDDLE_VERIFY_STATEHISTORY_H
