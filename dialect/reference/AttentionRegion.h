//===- AttentionRegion.h - a region of attention on rows --------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_REFERENCE_ATTENTIONREGION_H
#define HEDDLE_DIALECT_REFERENCE_ATTENTIONREGION_H

#include "interpreter/ElementProgram.h"

namespace heddle {

/// An operand that is broadcast to [B,Hq,Sq,Skv]: the offset of its element.
int64_t broadcastOffset(const Tensor &tensor, llvm::ArrayRef<int64_t> index);

/// Changes scores or weights as a region of heddle.attention says; without a block, not at all.
class AttentionRegion {
public:
  static mlir::FailureOr<AttentionRegion> decode(mlir::Region &region, llvm::ArrayRef<Tensor> reads,
                                                 Evaluator &evaluator);

  /// The row [keys] of a query: `at` has batch entry, head and query.
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
  /// All arguments but the first, for keys from that of `first` on.
  void fill(llvm::ArrayRef<int64_t> first, int64_t count) const;

  std::optional<ElementProgram> program;
  llvm::ArrayRef<Tensor> reads;
};

} // namespace heddle

#endif // HEDDLE_DIALECT_REFERENCE_ATTENTIONREGION_H
