//===- AttentionRegion.h - evaluation of attention regions ------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_REFERENCE_ATTENTIONREGION_H
#define HEDDLE_DIALECT_REFERENCE_ATTENTIONREGION_H

#include "interpreter/ElementProgram.h"

namespace heddle {

/// Returns the offset of the element of `tensor` that is broadcast to `index`, which contains the indices of the batch
/// entry, query head, query and key. Dimensions are aligned at the last one.
int64_t broadcastOffset(const Tensor &tensor, llvm::ArrayRef<int64_t> index);

/// Applies a region of heddle.attention to scores or probabilities. The region computes a new score or probability from
/// the old one, its four indices and elements of other tensors. An empty region changes nothing.
class AttentionRegion {
public:
  /// Decodes a region. `reads` are the operands of heddle.attention that the region reads; they must live as long as
  /// the result.
  static mlir::FailureOr<AttentionRegion> decode(mlir::Region &region, llvm::ArrayRef<Tensor> reads,
                                                 Evaluator &evaluator);

  /// Applies the region to the scores or probabilities of a query. `row` has one element for each key; `at` contains
  /// the indices of the batch entry, head and query.
  template <typename Real>
  mlir::LogicalResult apply(llvm::MutableArrayRef<Real> row, llvm::ArrayRef<int64_t> at) const {
    int64_t size = row.size();
    for (int64_t start = 0; program && start < size; start += ElementProgram::width) {
      int64_t count = std::min(ElementProgram::width, size - start);
      llvm::MutableArrayRef<Real> part = row.slice(start, count);
      llvm::copy(part, program->argument(0).floats);
      fill({at[0], at[1], at[2], start}, count);
      if (mlir::failed(program->run(count)))
        return mlir::failure();
      std::copy_n(program->yielded(0).floats, count, part.begin());
    }
    return mlir::success();
  }

private:
  /// Fills all arguments of the region except the first, for `count` keys. `first` contains the indices of the batch
  /// entry, the head, the query and the first of these keys.
  void fill(llvm::ArrayRef<int64_t> first, int64_t count) const;

  std::optional<ElementProgram> program; // the decoded region; nullopt if the region is empty
  llvm::ArrayRef<Tensor> reads;
};

} // namespace heddle

#endif // HEDDLE_DIALECT_REFERENCE_ATTENTIONREGION_H
