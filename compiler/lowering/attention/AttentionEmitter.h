//===- AttentionEmitter.h - emits the code of one attention -----*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_ATTENTIONEMITTER_H
#define HEDDLE_COMPILER_LOWERING_ATTENTIONEMITTER_H

#include "AttentionPlan.h"
#include "KeyRange.h"
#include "TileBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle {

/// Emits the lowering of one heddle.attention.
///
/// Shapes: D is the number of elements of a query or key in one head, Dv that of a value, and Skv the number of keys.
///
/// Queries lie in vector lanes: transposed queries [D][lanes], scores and weights [keys][lanes], running maximum and
/// sum [lanes], output [Dv][lanes]. A row of keys or values is read as scalars, so it needs no packing and no padding,
/// and the softmax has no horizontal operation. If there are few keys, transposing the output would cost as much as
/// computing it; the output is then [rows][Dv], and the weights are the scalars.
///
/// With few queries (`inRows`), keys lie in lanes instead: scores and weights are [rows][keys], and the output is
/// [rows][Dv], where a row is one query of one of the heads that share a key head.
///
/// Terms: a score is the product of a query and a key. A weight is the exponential of a score; divided by the sum of
/// the exponentials, it is the attention probability. `unit`: scores are multiplied by log2(e) if possible ("units of
/// log(2)"), so that exp becomes 2^x. `removed`: a mask or the key's position removes the key, so its score is -inf.
/// `checked`: a task whose result is not finite is computed again with checks. Weights of removed keys are then -0.0
/// (`isMarked`), so that these keys are skipped instead of multiplied, and `leaving` converts -0.0 to 0.0 in stored
/// results. `atOnce`: all keys are one block. `online`: adds one more block of keys, after `rescale` has scaled
/// the results so far to the new maximum.
///
/// Private functions are documented at their definitions, in the files that the comments name.
class AttentionEmitter {
public:
  AttentionEmitter(mlir::RewriterBase &rewriter, AttentionOp op, const AttentionTiles &tiles);
  /// Chooses the sizes of blocks. Emits an error and fails if the op cannot be lowered.
  mlir::LogicalResult check();
  /// Replaces the op by its lowering. check() must have succeeded.
  void emit();

private:
  using Value = mlir::Value;
  using OpFoldResult = mlir::OpFoldResult;
  /// Keys or values in their stored type, and the scale of each row; `scales` is null if rows have no scales.
  struct StoredRows {
    Value numbers, scales;
  };
  /// The operands and state of one task.
  struct Task {
    QueryBlocks blocks;                     // the group that contains this task
    Extent queries;                         // the number of queries of the task
    Value batch, head, keyHead, firstQuery; // indices; `head` is the first head if heads share a key head
    Value query;                            // [D][lanes] or [rows][D], times the scale unless attention rounds
    Value factor;                           // `query` as an operand of products: unchanged, rounded, or in pairs
    StoredRows keys, values;        // [Skv][D], [Skv][Dv]; scales [Skv]
    KeyRange range;                 // the keys that the task's queries see by their positions
    Value blockBegin, blockEnd;     // the range of blocks of keys that the task's queries read
    bool checked = false;           // removed keys are distinguished from keys with weight 0
    bool seesAll = false;           // in the blocks of the loop, positions remove no key
  };
  /// The tensors that the loop over blocks of keys carries and updates in place.
  struct Running {
    Value maximum, sum, output, scores;
    llvm::SmallVector<Value> list() const { return {maximum, sum, output, scores}; }
    llvm::SmallVector<Value> results() const { return {sum, output, scores}; }
    static Running from(mlir::ValueRange v) { return {v[0], v[1], v[2], v[3]}; }
  };
  /// The running values after they were scaled to a maximum that includes the next block. `shift` is the number to
  /// subtract from the scores of that block.
  struct Rescaled {
    Value maximum, shift, sum, output;
  };

  // Attention.cpp: loops.
  Task makeTask(const QueryBlocks &blocks, mlir::ValueRange ivs, Value block);
  llvm::SmallVector<Value> emitGroup(const QueryBlocks &blocks, mlir::ValueRange results);
  /// `place(i)` returns the slice that result i of the task is written to.
  llvm::SmallVector<Value> emitTask(Task &task, llvm::function_ref<Value(unsigned i)> place);
  Running run(Task &task);
  Running compute(Task &task, Running running);
  Running overKeys(Task &task, Running running);

  // AttentionParts.cpp: few queries, with the keys of a head divided into parts.
  /// A slice of the results of all parts: offsets, sizes, and the dimensions that remain in the slice.
  struct PartPlace {
    llvm::SmallVector<OpFoldResult> offsets;
    llvm::SmallVector<Extent> sizes;
    llvm::SmallVector<unsigned> keep;
  };
  PartPlace partPlace(const Task &task, Value part, llvm::ArrayRef<int64_t> columns = {});
  llvm::SmallVector<Value> emitEachPart(const QueryBlocks &blocks, Value count);
  Running join(const Task &task, Value count, mlir::ValueRange parts);
  Value emitParts(const QueryBlocks &blocks, Value result);

  // AttentionAnySizes.cpp: numbers of queries and keys that are known only at run time.
  llvm::SmallVector<Value> emitWidths(Task &task, mlir::ValueRange places, int64_t lanes);
  Value queryRows(Task &task, Value from, llvm::ArrayRef<OpFoldResult> first, unsigned queryAt, unsigned columnAt,
                  const Extent &count, int64_t columns, TileBuilder::Body change);
  Value transposed(Value rows);
  Value queryElements(Task &task, Value from, llvm::ArrayRef<OpFoldResult> first, unsigned queryAt);
  Running overAnyKeys(Task &task, Running running);
  Value storeSome(Task &task, Value rows, const Extent &columns, Value target);
  Value storeAnyKeys(Task &task, const Running &running, Value target);

  // AttentionDiagonal.cpp: blocks of keys that the diagonal of the causal mask crosses from corner to corner.
  Running upToDiagonal(Task &task, Running running);
  Running onDiagonal(Task &task, Value firstKey, Running running);

  // AttentionRows.cpp: few queries.
  Value loadRows(Task &task);
  Value ofEachHead(Task &task, Value scores, llvm::function_ref<Value(Task &, Value)> change);
  Value storeRows(Value tile, Layout layout, Value target);
  Running onlineInVectors(Task &task, Value firstKey, const Extent &count, Running running);

  // AttentionStored.cpp: keys and values stored as integers with a scale per row.
  StoredRows storedRows(Value rows);
  StoredRows storedHead(const StoredRows &all, Layout layout, Value batch, Value head, int64_t width);
  Value numberOf(TileBuilder &inner, Value stored);
  Value mayOverflow(const Task &task);
  Value timesScales(Value scales, Value firstKey, const Extent &count, Value tile);

  // AttentionRounded.cpp: operands of products rounded to bf16.
  bool inPairs(const Task &task);
  using TileExtents = std::array<Extent, 2>;
  TileExtents extentsOf(Value tile);
  Value emptyLike(const TileExtents &extents, mlir::Type type);
  Value rounded(Value tile);
  Value pairs(Value tile, unsigned along);
  Value asFactor(const Task &task, Value tile, unsigned along);
  Value plusProduct(TileBuilder &inner, Value x, Value y, Value sum);

  // AttentionScores.cpp: scores of a block of keys, bias and masks.
  double queryScale();
  double productScale();
  Value loadQuery(Task &task);
  Value prefetchRows(const Task &task, Value product);
  Value products(Task &task, Value firstKey, const Extent &count, Value query, Value into);
  Value scores(Task &task, Value firstKey, const Extent &count, Value into);
  Value modified(Task &task, Value firstKey, const Extent &count, Value scores);
  Value withOperands(Task &task, llvm::ArrayRef<Value> operands, Value firstKey, const Extent &count, Value tile,
                     TileBuilder::Body body);
  Value inRegion(Task &task, TileBuilder &inner, mlir::Region &region, Value firstKey, Value value,
                 mlir::ValueRange elements);
  Value broadcastSlice(Task &task, Value operand, Value firstKey, const Extent &count, LoopDims &dims);
  void findRange(Task &task);
  Value withoutRemoved(Task &task, Value firstKey, const Extent &count, Value scores);
  Value removed(Task &task, Value firstKey, Value scores);

  // AttentionSoftmax.cpp: softmax along the keys, and the sum of weighted values.
  Running online(Task &task, Value firstKey, const Extent &count, Running running);
  Running atOnce(Task &task, Running running);
  static Value largerOf(TileBuilder &inner, Value x, Value y);
  llvm::StringRef alongKeys() const { return tiles.inRows ? "pr" : "rp"; }
  Value largestOf(Value scores);
  Value largestOf(Value scores, Value into);
  Value largestOf(llvm::StringRef iterators, llvm::ArrayRef<LoopDims> dims, Value scores, Value into);
  Value isMarked(TileBuilder &inner, Value weight);
  Value weightOf(Task &task, TileBuilder &inner, Value score, Value shift);
  Rescaled rescale(const Running &running, Value highest);
  Value expOfDifference(TileBuilder &inner, Value x, Value y);
  llvm::SmallVector<Value> exponentials(Task &task, Value shift, Value scores, Value sum);
  Value weighted(Task &task, Value firstKey, const Extent &count, Value weights, Value output);
  Value probabilities(Task &task, const Extent &count, Value weights, Value sum);
  Value isNotFinite(Value tile);
  Value normalized(Task &task, Value tile, Value sum, bool rows, double none = 0.0);
  Value store(Task &task, Value tile, Value target, bool rows);
  Value leaving(TileBuilder &inner, Value value);

  // AttentionPadding.cpp: inactive queries and keys.
  void takeSelect();
  mlir::scf::IfOp ifActive(Task &task, mlir::Type type);
  Value elseZeros(mlir::scf::IfOp choice, Value tile, Value place);
  Value withoutInactive(Task &task, Value inverse);
  void findMaskedEnds();

  // AttentionStored.cpp: slices of one head.
  llvm::SmallVector<mlir::OpFoldResult> headOffsets(Layout layout, Value batch, Value head, Value position);
  llvm::SmallVector<Extent> headSizes(Layout layout, const Extent &positions, int64_t size, int64_t heads = 1);
  static llvm::SmallVector<unsigned> headKeep(Layout layout);
  /// Returns the shape of a tile of `rows` queries and `columns` keys or elements (Attention.cpp).
  llvm::SmallVector<int64_t> tileShape(int64_t rows, int64_t columns) const;

  TileBuilder b;
  mlir::RewriterBase &rewriter;
  AttentionOp op;
  AttentionTiles tiles;
  AttentionPlan plan;
  mlir::Type element, precision; // types of scores and values, and of the softmax
  double unit;                   // the number that represents a score of 1 in the emitted code: log2(e) or 1
  Extent batch, queries, keys;   // the sizes of the op's dimensions
  int64_t heads, keyHeads, size, valueSize; // `size`: elements of a query or key; `valueSize`: of a value
  unsigned keyDim = 0, queryDim = 1; // the dimensions of a score tile along keys and queries; swapped if `tiles.inRows`
  Value mask;                     // the mask as i8; null if the op has no mask
  llvm::SmallVector<Value> reads; // tensors that the op's regions read; tensors of i1 are converted to i8
  // The row select that replaces inactive rows of the result by zeros; null: all rows are active.
  mlir::linalg::GenericOp select;
  Value active;                           // the activity mask of `select`, i8 [batch, queries]
  Value firstUnmaskedKey, endUnmaskedKey; // [batch]: the range of keys to read, as findMaskedEnds sets it; null: all
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_ATTENTIONEMITTER_H
