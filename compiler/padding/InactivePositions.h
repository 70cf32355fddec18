//===- InactivePositions.h - what no output depends on ----------*- C++ -*-===//

#ifndef HEDDLE_PADDING_INACTIVEPOSITIONS_H
#define HEDDLE_PADDING_INACTIVEPOSITIONS_H

#include "Heddle.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

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
  bool empty = false;   // those without an active position
  AttentionOp low = {}; // those in which scores of this attention may be as low as its masked score; only with `empty`
};

/// A position (b, s) is inactive where flags[b, s], a value of type i1 or another integer, is 0;
/// flags are [batch, positions], perhaps with dimensions of size 1 between. This proves of values
/// that what they hold at inactive positions reaches no result of their block: it is multiplied by
/// zero, not selected, or belongs to a key that attention removes.
class InactivePositions {
public:
  InactivePositions(mlir::Value flags, int64_t lowestFlag, int64_t highestFlag, WholeEntries whole);

  /// The rows of the layer's result as batch and positions, or both in one, if their sizes admit that.
  std::optional<PositionTags> guessTags(LayerOpInterface layer) const;

  /// True if it is proven that the results do not depend on `value` at inactive positions.
  bool isIgnored(mlir::Value value, llvm::StringRef tags);

  /// True if `value` is an i1 [batch, positions] that is true exactly where flags are not 0.
  bool isActive(mlir::Value value);

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
  Known evaluate(mlir::Operation &op, const Scalars &scalars);

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
};

} // namespace heddle

#endif // HEDDLE_PADDING_INACTIVEPOSITIONS_H
