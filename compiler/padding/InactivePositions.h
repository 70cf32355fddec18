//===- InactivePositions.h - what no output depends on ----------*- C++ -*-===//

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

/// What each dimension of a tensor counts, one letter a dimension: 'b' batch entries, 's'
/// positions, 'x' both in one (row-major), '-' anything else. A dimension of size 1 is '-'.
using PositionTags = std::string;

/// The tags of a reshaped tensor; nothing where a tagged dimension is mixed with others.
std::optional<PositionTags> reshapeTags(llvm::StringRef tags, llvm::ArrayRef<int64_t> from,
                                        llvm::ArrayRef<int64_t> to,
                                        llvm::ArrayRef<mlir::ReassociationIndices> groups, bool expands);

/// Batch entries of which all positions are active, whatever their flags say.
struct WholeEntries {
  bool empty = false;   // those without an active position, and those in which inputs that matter are not ordinary
  AttentionOp low = {}; // those in which scores of this attention may be as low as its masked score; only with `empty`
};

/// A position (b, s) is inactive where flags[b, s], a value of type i1 or another integer, is 0;
/// flags are [batch, positions], perhaps with dimensions of size 1 between. This proves of values
/// that what they hold at inactive positions reaches no result of their block: it is multiplied by
/// zero, not selected, or belongs to a key that attention removes. A product with zero is zero only
/// where the other factor is finite, which must be proven as well.
class InactivePositions {
public:
  InactivePositions(mlir::Value flags, int64_t lowestFlag, int64_t highestFlag, WholeEntries whole);

  /// The rows of the layer's result as batch and positions, or both in one, if their sizes admit that.
  std::optional<PositionTags> guessTags(LayerOpInterface layer) const;

  /// True if it is proven that the results do not depend on `value` at inactive positions.
  bool isIgnored(mlir::Value value, llvm::StringRef tags);

  /// True if `value` is an i1 [batch, positions] that is true exactly where flags are not 0.
  bool isActive(mlir::Value value);

  /// Inputs, batch entries first, of floating-point numbers that were taken to be ordinary in entries that are not whole.
  llvm::ArrayRef<mlir::Value> getOrdinaryInputs() const { return ordinaryInputs.getArrayRef(); }

private:
  /// What is known of a scalar: one number, an integer other than 0, nothing except that it
  /// does not come from the value in question, nothing.
  struct Known {
    enum Kind { Number, NotZero, Other, Depends } kind = Other;
    mlir::Attribute number = {};
  };
  using Scalars = llvm::DenseMap<mlir::Value, Known>;

  bool ignores(mlir::OpOperand &use, llvm::StringRef tags);
  bool rowsIgnore(LayerOpInterface layer, mlir::OpOperand &use, llvm::StringRef tags);
  bool loopsIgnore(mlir::linalg::LinalgOp op, mlir::OpOperand &use, llvm::StringRef tags);
  bool keysIgnore(AttentionOp op, mlir::OpOperand &use);
  std::optional<bool> maskAt(AttentionOp op, bool active);
  bool removesInactiveKeys(AttentionOp op);

  /// The scalar that `value` is at every inactive (or active) position.
  Known valueAt(mlir::Value value, llvm::StringRef tags, bool active);
  Known computeAt(mlir::Value value, llvm::StringRef tags, bool active);
  void evaluateBody(mlir::linalg::LinalgOp op, llvm::StringRef loopTags, bool active, mlir::OpOperand *depends,
                    Scalars &scalars);
  Known lookup(mlir::Value value, const Scalars &scalars);
  /// `isFinite` says it of a scalar.
  Known evaluate(mlir::Operation &op, const Scalars &scalars, llvm::function_ref<bool(mlir::Value)> isFinite);

  /// What the elements of `value` are in batch entries that are not whole, whatever position they are of; in all entries,
  /// where tags do not tell batch entries. None where one may be NaN.
  std::optional<Bounds> boundsOf(mlir::Value value, llvm::StringRef tags);
  std::optional<Bounds> computeBounds(mlir::Value value, llvm::StringRef tags);
  std::optional<Bounds> boundInput(mlir::BlockArgument input, llvm::StringRef tags);
  std::optional<Bounds> boundLayer(LayerOpInterface layer, llvm::StringRef tags);
  std::optional<Bounds> boundAttention(AttentionOp op, llvm::StringRef tags);
  std::optional<Bounds> boundBias(AttentionOp op, const PositionTags &tags);
  std::optional<Bounds> boundLoops(mlir::linalg::LinalgOp op, unsigned number, llvm::StringRef tags);
  /// Of scalars in the body of loops, with what the loops carry.
  struct ScalarBounds {
    mlir::linalg::LinalgOp op;
    PositionTags loopTags;
    std::optional<Bounds> carried;
    std::map<const void *, std::optional<Bounds>> known; // by scalar
  };
  std::optional<Bounds> boundScalar(ScalarBounds &body, mlir::Value scalar);
  std::optional<Bounds> computeScalarBounds(ScalarBounds &body, mlir::Value scalar);
  bool isOrdinary(mlir::Value value, llvm::StringRef tags);
  bool knowsEntry(llvm::StringRef tags) const;
  bool mayBeEmpty(AttentionOp op, Bounds bias, bool hasActiveKey);

  /// Of a value with so many dimensions, of which `rows` are batch and positions.
  PositionTags rowTags(size_t rank, llvm::ArrayRef<unsigned> rows) const;
  PositionTags scoreTags(mlir::Value operand) const;
  PositionTags flagTags() const;

  mlir::Value flags;
  int64_t batch, positions, lowestFlag, highestFlag;
  WholeEntries whole;
  char batchTag, positionTag; // '-' for a size of 1
  std::map<std::pair<const void *, std::string>, bool> ignored;
  std::map<std::pair<const void *, std::string>, Known> known[2];
  std::map<std::pair<const void *, std::string>, std::optional<Bounds>> bounds;
  llvm::SetVector<mlir::Value> ordinaryInputs;
};

} // namespace heddle

#endif // HEDDLE_PADDING_INACTIVEPOSITIONS_H
