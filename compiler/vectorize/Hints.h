//===- Hints.h - prefetches and load order ------*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_HINTS_H
#define HEDDLE_VECTORIZE_HINTS_H

#include "VectorBuilder.h"

#include "support/KeepRolled.h"

namespace heddle {

/// Emits a compiler fence that keeps LLVM from moving loads across the insertion point. LLVM would otherwise reorder
/// loads freely, which defeats the CPU's sequential prefetcher. The fence costs no instruction.
void keepOrder(mlir::ImplicitLocOpBuilder &b);

/// Prefetches the inputs of an op that carries the annotation notes::prefetchBytes, the distance in bytes between an
/// element that is read and the element that is prefetched at the same time.
class ReadPrefetcher {
public:
  ReadPrefetcher() = default;
  /// Finds the inputs of `op` to prefetch: all inputs that depend on the loop `lane` and on a reduction loop, and whose
  /// rows have a known size. For each of them, emits at the insertion point of `b` an operation that returns the
  /// input's buffer, which all prefetches of the input use.
  ReadPrefetcher(VectorBuilder &b, mlir::linalg::LinalgOp op, unsigned lane);

  /// Returns whether rows of the prefetched inputs should be read one after the other. This is the case if prefetches
  /// load lines only into the second or third cache: the CPU's hardware prefetcher then loads lines into the first
  /// cache, and recognises only lines that are read in the order of their addresses.
  bool inOrder() const { return !inputs.empty() && locality < 3; }

  /// A vector that is read: vector `number` of the `count` adjacent vectors of `width` lanes that are read from row
  /// `row` of a tile of `rows` rows.
  struct Piece {
    int64_t number, count, width;
    int64_t row = 0, rows = 1;
  };
  /// Emits the prefetches that belong to the read of `piece` at the indices `at`, if `input` is one of the prefetched
  /// inputs. There are three cases:
  ///
  /// * Elements that are stored in fewer bits than they are computed in: a cache line holds several vectors, so the
  ///   first vector of a row prefetches the lines of all of them.
  /// * Prefetches into the first cache: each vector prefetches one line.
  /// * Full-width elements and prefetches into the second or third cache: the loop is bound by memory, and the CPU's
  ///   hardware prefetcher already loads lines that are read in order. One line of each page is prefetched, so that
  ///   the address translation of the page is ready in time.
  void prefetch(VectorBuilder &b, mlir::OpOperand &input, VectorBuilder::Indices at, const Piece &piece) const;

private:
  /// An input that is prefetched.
  struct Input {
    unsigned number;    // the index of the operand
    mlir::Value memory; // the buffer of the operand
    int64_t rows;       // the distance of the prefetch, in rows
    // the number of elements in a cache line if they are stored in fewer bits than they are computed in; else 0
    int64_t line;
    int64_t period; // the number of rows in a page, only one of which prefetches; 0: each row prefetches its lines
  };
  void prefetchFromPage(VectorBuilder &b, const Input &input, VectorBuilder::Indices at, const Piece &piece) const;

  llvm::SmallVector<Input, 1> inputs;
  unsigned locality = 3; // as in memref.prefetch: 3, 2, 1 for the first, second, third cache
};

} // namespace heddle

#endif // HEDDLE_VECTORIZE_HINTS_H
