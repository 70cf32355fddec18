//===- AttentionTasks.h - the tasks of attention ----------------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_ATTENTIONTASKS_H
#define HEDDLE_COMPILER_LOWERING_ATTENTIONTASKS_H

#include "AttentionSteps.h"
#include "HeadSlice.h"
#include "UnmaskedKeys.h"

namespace heddle {

/// Emits the tasks of one heddle.attention: the loops over tasks, and the code of a task as far as all lowerings share
/// it. Derived classes load queries, loop over blocks of keys and store results.
class AttentionTasks {
public:
  virtual ~AttentionTasks() = default;
  /// Replaces the op by its lowering.
  void emit();

protected:
  using Value = mlir::Value;
  /// `place(i)` emits the slice to which result i of a task is written.
  using Place = llvm::function_ref<Value(unsigned i)>;

  /// `plan` must be the plan of `op` for `tiles`. Emits what all tasks share.
  AttentionTasks(mlir::RewriterBase &rewriter, AttentionOp op, const AttentionPlan &plan, const AttentionTiles &tiles);

  // Derived classes implement or override the following functions.
  /// Emits all tasks. They write their results to slices of `results`.
  virtual llvm::SmallVector<Value> emitAll(llvm::SmallVector<Value> results);
  /// Emits the results of a block of queries, and returns the written slices.
  virtual llvm::SmallVector<Value> emitBlock(AttentionTask &task, Place place) { return emitTask(task, place); }
  /// Emits the queries as [D][lanes] or [rows][D], times getQueryScale().
  virtual Value emitQuery(const TaskQueries &queries) = 0;
  /// Emits the softmax over several blocks of keys.
  virtual SoftmaxState emitKeys(const AttentionTask &task, const SoftmaxState &state) = 0;
  /// Copies a tile with results to the rows of `target`, whose dimensions are in `layout`. `inRows`: each row of the
  /// tile belongs to a query; otherwise each column does.
  virtual Value emitStored(const TaskQueries &queries, Value tile, Layout layout, bool inRows, Value target) = 0;
  /// Normalizes and stores the results of a task.
  virtual llvm::SmallVector<Value> emitResults(const AttentionTask &task, const SoftmaxState &state, Place place);
  /// The dimensions that remain in a slice of a result in `layout`, which has all queries and heads of a task.
  virtual llvm::SmallVector<unsigned> getResultDims(const HeadSlice &slice) const { return slice.getRowDims(); }

  // The lowerings share the following functions.
  /// Returns the number by which queries are multiplied before their products with keys.
  double getQueryScale();
  /// Returns the task of batch entry ivs[0], head (or group of heads) ivs[1] and block `number` of the queries.
  AttentionTask makeTask(const QueryBlocks &blocks, mlir::ValueRange ivs, Value number);
  /// Sets the range of the keys and blocks that the task reads.
  void findRange(AttentionTask &task);
  llvm::SmallVector<Value> emitTask(AttentionTask &task, Place place);
  /// Emits the softmax of a task, and a second computation with checks, which runs only if it is needed.
  SoftmaxState emitSoftmax(const AttentionTask &task);
  /// Emits the online softmax over blocks of a fixed number of keys.
  SoftmaxState emitFixedBlocks(const AttentionTask &task, const SoftmaxState &state);
  /// Emits the online softmax over blocks of keys whose number is known only at run time. `step` emits the step for
  /// `count` keys from `firstKey` on.
  using Step = llvm::function_ref<SoftmaxState(Value firstKey, const Extent &count, const SoftmaxState &state)>;
  SoftmaxState emitCountedBlocks(const AttentionTask &task, const SoftmaxState &state, Step step);
  /// Emits the number to store for an element of a result. If attention probabilities are a result, -0.0, the mark of a
  /// removed key (RemovedKeys.h), becomes 0.0.
  Value emitLeaving(TileBuilder &inner, Value number);

  mlir::RewriterBase &rewriter;
  AttentionOp op;
  TileBuilder b;
  AttentionPlan plan;
  AttentionTiles tiles;
  AttentionOp::Extents sizes;
  Extent batch, queries, keys; // the numbers of batch entries, queries and keys
  AttentionSteps steps;

private:
  llvm::SmallVector<Value> emitGroup(const QueryBlocks &blocks, mlir::ValueRange results);
  SoftmaxState emitOnce(AttentionTask task, SoftmaxState state);

  UnmaskedKeys unmasked;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_ATTENTIONTASKS_H
