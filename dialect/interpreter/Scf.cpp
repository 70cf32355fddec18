//===- Scf.cpp - evaluation of structured control flow --------------------===//

#include "interpreter/Models.h"
#include "interpreter/Slices.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>
#include <random>

using namespace mlir;
using namespace heddle;

static Tensor scalar(Type type, int64_t value) {
  return Tensor({}, type, std::vector<int64_t>{value});
}

std::vector<int64_t> heddle::shuffled(int64_t count, const Evaluator &evaluator) {
  std::vector<int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::mt19937_64 random(evaluator.getOptions().seed + count);
  for (int64_t i = count; i > 1; --i)
    std::swap(numbers[i - 1], numbers[random() % i]);
  return numbers;
}

static LogicalResult runFor(scf::ForOp op, MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                            SmallVectorImpl<Tensor> &results) {
  int64_t lower = operands[0].ints()[0], upper = operands[1].ints()[0], step = operands[2].ints()[0];
  if (step <= 0)
    return op.emitOpError() << "has step " << step << ", expected a positive step";
  // Loop-carried values are moved: a tensor is updated in place only if nothing else refers to its elements.
  SmallVector<Tensor> carried(std::make_move_iterator(operands.begin() + 3), std::make_move_iterator(operands.end()));
  for (int64_t i = lower, next; i < upper; i = next) {
    if (llvm::AddOverflow(i, step, next))
      next = upper;
    carried.insert(carried.begin(), scalar(op.getInductionVar().getType(), i));
    FailureOr<SmallVector<Tensor>> yielded = evaluator.run(*op.getBody(), std::move(carried));
    if (failed(yielded))
      return failure();
    carried = std::move(*yielded);
  }
  llvm::append_range(results, carried);
  return success();
}

static LogicalResult runIf(scf::IfOp op, MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                           SmallVectorImpl<Tensor> &results) {
  Region &region = operands[0].ints()[0] ? op.getThenRegion() : op.getElseRegion();
  if (region.empty())
    return success();
  FailureOr<SmallVector<Tensor>> yielded = evaluator.run(region.front(), {});
  if (failed(yielded))
    return failure();
  llvm::append_range(results, *yielded);
  return success();
}

/// Evaluates scf.forall: runs the iterations in a random order, and each iteration reads the values that the output
/// tensors had before the loop. In this way tests detect a dependence between iterations.
static LogicalResult runForall(scf::ForallOp op, MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                               SmallVectorImpl<Tensor> &results) {
  SmallVector<int64_t> lower = resolve(op, operands, op.getMixedLowerBound());
  SmallVector<int64_t> upper = resolve(op, operands, op.getMixedUpperBound());
  SmallVector<int64_t> step = resolve(op, operands, op.getMixedStep()), counts;
  for (auto [l, u, s] : llvm::zip_equal(lower, upper, step)) {
    if (s <= 0)
      return op.emitOpError() << "has step " << s << ", expected a positive step";
    counts.push_back(u > l ? llvm::divideCeil(u - l, s) : 0);
  }
  std::vector<SmallVector<int64_t>> iterations;
  forEachIndex(counts, [&](ArrayRef<int64_t> index) { iterations.emplace_back(index); });

  ArrayRef<Tensor> outputs = operands.take_back(op.getOutputs().size());
  results.assign(outputs.begin(), outputs.end());
  for (int64_t number : shuffled(iterations.size(), evaluator)) {
    SmallVector<Tensor> arguments;
    for (auto [i, l, s] : llvm::zip_equal(iterations[number], lower, step))
      arguments.push_back(scalar(IndexType::get(op.getContext()), l + i * s));
    llvm::append_range(arguments, outputs);
    if (failed(evaluator.run(*op.getBody(), std::move(arguments))))
      return failure();
    for (Operation &write : op.getTerminator().getYieldingOps()) {
      auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(write);
      if (!insert)
        return write.emitError() << "the interpreter does not support '" << write.getName() << "'";
      SmallVector<Tensor> values;
      for (Value operand : insert->getOperands())
        values.push_back(*evaluator.find(operand));
      unsigned output = cast<BlockArgument>(insert.getDest()).getArgNumber() - op.getRank();
      if (failed(writeSlice(insert, values, results[output])))
        return failure();
    }
  }
  return success();
}

void heddle::registerScfModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, scf::SCFDialect *) {
    attach<scf::ForOp, runFor>(context);
    attach<scf::IfOp, runIf>(context);
    attach<scf::ForallOp, runForall>(context);
  });
}
