//===- StateHistory.h - the rows that make up a state -----------*- C++ -*-===//
//
// The results of several calls that use a state must equal the results of one
// call without a past for all rows together. The interpreter checks this in
// f64, where the results differ only because sums are computed in another
// order.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_VERIFY_STATEHISTORY_H
#define HEDDLE_VERIFY_STATEHISTORY_H

#include "heddle/Ranges.h"
#include "heddle/Verify.h"

#include "States.h"

namespace heddle {

/// For each argument of a model, the dimension whose extent is the number of new rows of a call.
class RowInputs {
public:
  /// `main` is the model for all sizes in ranges. The object is empty (converts to false) if the states of `main` are
  /// not valid, if the number of new rows is not a size in a range, if a state is not f32, or if a required input does
  /// not have the sequences as its first dimension and exactly one dimension of rows.
  RowInputs(mlir::func::FuncOp main, llvm::ArrayRef<SizeRange> ranges);

  explicit operator bool() const { return size.has_value(); }
  /// Returns the index, among the sizes in ranges, of the number of new rows.
  unsigned sizeNumber() const { return *size; }
  /// Returns the dimension of the argument whose extent is the number of new rows, or nothing if there is none.
  std::optional<unsigned> dimOf(unsigned argument) const { return dims[argument]; }

private:
  std::optional<unsigned> size; // see sizeNumber()
  std::vector<std::optional<unsigned>> dims; // by argument; see dimOf()
};

/// For each sequence, the rows of all inputs from which its state was computed.
class StateHistory {
public:
  StateHistory(const RowInputs &rows, size_t sequences) : rows(rows), fed(sequences) {}

  /// Records the rows of a call. Sequence b had `past[b]` rows before the call; rows of b after them are discarded.
  void add(llvm::ArrayRef<Tensor> inputs, llvm::ArrayRef<int64_t> past);
  /// Copies the rows of sequence `from` to sequence `to`.
  void copy(size_t from, size_t to) { fed[to] = fed[from]; }

  /// Interprets a call with all rows of the sequence and no past, and compares the resulting states with `kept`.
  /// If calls only append rows to states, and replace none as a whole, also interprets a call with the last `count` rows
  /// and the states `kept`, and compares the outputs of the two calls. Returns the largest difference, divided by the
  /// largest magnitude or by 1, whichever is larger. Prints an error and fails if only one of two numbers is NaN, if a
  /// number is infinite, or if integers differ.
  mlir::FailureOr<double> compareToOneCall(const Model &model, llvm::ArrayRef<SizeRange> ranges, SizeValues sizes,
                                           size_t sequence, size_t count, llvm::ArrayRef<Tensor> kept) const;

private:
  using Row = llvm::SmallVector<Tensor>; // by argument; an element is empty if its argument has no rows

  const RowInputs &rows;
  std::vector<std::vector<Row>> fed; // by sequence and row
};

} // namespace heddle

#endif // HEDDLE_VERIFY_STATEHISTORY_H
