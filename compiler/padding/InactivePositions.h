//===- InactivePositions.h - values that no output depends on ---*- C++ -*-===//

#ifndef HEDDLE_PADDING_INACTIVEPOSITIONS_H
#define HEDDLE_PADDING_INACTIVEPOSITIONS_H

#include "Bounds.h"

#include "Heddle.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include "llvm/ADT/SetVector.h"

#include <map>
#include <optional>
#include <string>

namespace heddle {

/// One letter for each dimension of a tensor: 'b' if the dimension counts batch entries, 's' if it counts positions,
/// 'x' if batch and positions were merged into it (row-major), '-' if it counts anything else or has size 1.
using PositionTags = std::string;

/// Returns the tags of a tensor that is reshaped from shape `from`, with `tags`, to shape `to`. The reshape may
/// collapse batch and positions ("bs") into one dimension ("x") or expand such a dimension. Returns nullopt if it
/// splits any other tagged dimension, or merges one with other dimensions (not counting dimensions of size 1). `groups`
/// is the reassociation of the reshape. `expands` is true if the reshape expands dimensions, and false if it collapses
/// them.
std::optional<PositionTags> reshapeTags(llvm::StringRef tags, llvm::ArrayRef<int64_t> from,
                                        llvm::ArrayRef<int64_t> to,
                                        llvm::ArrayRef<mlir::ReassociationIndices> groups, bool expands);

/// The batch entries that are computed as a whole: all their positions count as active, even where the activity mask is
/// 0.
struct WholeEntries {
  /// Whether these are the entries without an active position and the entries in which an input of getValidInputs()
  /// contains a NaN or a number of magnitude 2^20 or more (emitWhole in ActiveFlags.h); if false, there are none.
  bool empty = false;
  /// If not null, also entries in which a score of this attention may be as low as half its masked score, the number
  /// that replaces the scores of masked keys. Requires `empty`.
  AttentionOp low = {};
};

/// Proves that the results of a block do not depend on the elements of certain values at inactive positions.
///
/// A position (b, s) is inactive if flags[b, s], of an integer type, is 0. `flags` is [batch, positions], possibly with
/// dimensions of size 1 between the two. An element has no influence if it is multiplied by zero, is not selected, or
/// belongs to a key that attention removes. A product with zero is only zero if the other factor is finite, which is
/// proven as well.
class InactivePositions {
public:
  /// The elements of `flags` lie between `lowestFlag` and `highestFlag`.
  InactivePositions(mlir::Value flags, int64_t lowestFlag, int64_t highestFlag, WholeEntries whole);

  /// Returns the tags of the layer's result if its row dimensions have the sizes of batch and positions, or if the size
  /// of one row dimension is the product of these sizes; nullopt otherwise.
  std::optional<PositionTags> guessTags(LayerOpInterface layer) const;

  /// Returns true if it is proven that the results do not depend on the elements of `value` at inactive positions.
  bool isIgnored(mlir::Value value, llvm::StringRef tags);

  /// Returns true if `value` is an i1 [batch, positions] that is true exactly where `flags` is not 0.
  bool isActive(mlir::Value value);

  /// Returns the floating-point inputs (dimension 0 is the batch) whose elements proofs assumed to be valid numbers
  /// (Bounds.h). Generated code must compute an entry as a whole if such an input has an element there that emitWhole
  /// (ActiveFlags.h) does not accept.
  llvm::ArrayRef<mlir::Value> getValidInputs() const { return validInputs.getArrayRef(); }

private:
  /// A fact about a scalar. Number: its value is `number`. NotZero: it is an integer other than 0. Other: it does not
  /// depend on the elements whose influence is examined. Depends: it may depend on them.
  struct Known {
    enum Kind { Number, NotZero, Other, Depends } kind = Other;
    mlir::Attribute number = {};
  };
  using Scalars = llvm::DenseMap<mlir::Value, Known>;

  // Functions without a comment are documented at their definitions, in InactivePositions.cpp, InactiveScalars.cpp and
  // InactiveBounds.cpp.

  /// The next three functions return true if, through this use, no result of the block depends on the operand at
  /// inactive positions. `tags` are the tags of the operand.
  bool ignores(mlir::OpOperand &use, llvm::StringRef tags);
  bool rowsIgnore(LayerOpInterface layer, mlir::OpOperand &use, llvm::StringRef tags);
  bool loopsIgnore(mlir::linalg::LinalgOp op, mlir::OpOperand &use, llvm::StringRef tags);
  bool keysIgnore(AttentionOp op, mlir::OpOperand &use);
  std::optional<bool> maskAt(AttentionOp op, bool active);
  bool removesInactiveKeys(AttentionOp op);

  /// Returns what is known about all elements of `value` at inactive (or active) positions.
  Known valueAt(mlir::Value value, llvm::StringRef tags, bool active);
  Known computeAt(mlir::Value value, llvm::StringRef tags, bool active);
  /// Evaluates the body of `op` for elements at inactive (or active) positions and sets `scalars`. Elements of the
  /// operand `depends` count as Known::Depends. Each loop of `op` has a tag in `loopTags`.
  void evaluateBody(mlir::linalg::LinalgOp op, llvm::StringRef loopTags, bool active, mlir::OpOperand *depends,
                    Scalars &scalars);
  Known lookup(mlir::Value value, const Scalars &scalars);
  /// Returns what is known about the results of `op`, a scalar operation, given its operands in `scalars`. `isFinite`
  /// returns whether a scalar is known to be finite.
  Known evaluate(mlir::Operation &op, const Scalars &scalars, llvm::function_ref<bool(mlir::Value)> isFinite);

  /// Returns the range of the elements of `value`, at any position, in batch entries that are not computed as a whole.
  /// If the tags do not identify the batch entry of an element, the range covers all batch entries. Returns nullopt if
  /// an element may be NaN or if no range is known.
  std::optional<Bounds> boundsOf(mlir::Value value, llvm::StringRef tags);
  std::optional<Bounds> computeBounds(mlir::Value value, llvm::StringRef tags);
  std::optional<Bounds> boundInput(mlir::BlockArgument input, llvm::StringRef tags);
  std::optional<Bounds> boundLayer(LayerOpInterface layer, llvm::StringRef tags);
  std::optional<Bounds> boundAttention(AttentionOp op, llvm::StringRef tags);
  std::optional<Bounds> boundBias(AttentionOp op, const PositionTags &tags);
  std::optional<Bounds> boundLoops(mlir::linalg::LinalgOp op, unsigned number, llvm::StringRef tags);
  /// Ranges of the scalars in the body of a linalg op; `carried` is the range of the values that its loops carry.
  struct ScalarBounds {
    mlir::linalg::LinalgOp op;
    PositionTags loopTags;
    std::optional<Bounds> carried;
    std::map<const void *, std::optional<Bounds>> known; // results of boundScalar, by scalar (an opaque Value)
  };
  std::optional<Bounds> boundScalar(ScalarBounds &body, mlir::Value scalar);
  std::optional<Bounds> computeScalarBounds(ScalarBounds &body, mlir::Value scalar);
  bool isValid(mlir::Value value, llvm::StringRef tags);
  bool knowsEntry(llvm::StringRef tags) const;
  bool mayBeEmpty(AttentionOp op, Bounds bias, bool hasActiveKey);

  /// Returns the tags of a value with `rank` dimensions, of which those in `rows` are batch and positions.
  PositionTags rowTags(size_t rank, llvm::ArrayRef<unsigned> rows) const;
  PositionTags scoreTags(mlir::Value operand) const;
  PositionTags flagTags() const;

  mlir::Value flags;
  int64_t batch, positions, lowestFlag, highestFlag; // the sizes of `flags`, and bounds of its elements
  WholeEntries whole;
  char batchTag, positionTag; // 'b' and 's', or '-' for a dimension of size 1
  // Results of isIgnored, valueAt (for inactive and for active positions) and boundsOf, by value and tags.
  std::map<std::pair<const void *, std::string>, bool> ignored;
  std::map<std::pair<const void *, std::string>, Known> known[2];
  std::map<std::pair<const void *, std::string>, std::optional<Bounds>> bounds;
  llvm::SetVector<mlir::Value> validInputs; // see getValidInputs()
};

} // namespace heddle

#endif // HEDDLE_PADDING_INACTIVEPOSITIONS_H
