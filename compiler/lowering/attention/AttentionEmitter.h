//===- AttentionEmitter.h - the state of one attention lowering --*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_ATTENTIONEMITTER_H
#define HEDDLE_COMPILER_LOWERING_ATTENTIONEMITTER_H

#include "Attention.h"
#include "TileBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle {

/// How the queries of one head are cut: `count` tasks of `rows` queries in `lanes`
/// lanes from query `first` on.
struct QueryBlocks {
  int64_t first, count, rows, lanes;
};
/// One group where some block size divides the queries with little padding, else a
/// second one with the rest.
llvm::SmallVector<QueryBlocks> cutQueries(int64_t queries, int64_t limit, int64_t lanes);

/// Queries lie in vector lanes: Qt [D][lanes], scores and weights [keys][lanes],
/// running maximum and sum [lanes], output [Dv][lanes]. A row of keys or values is
/// read as scalars, so it needs no packing and its length no padding, and softmax
/// has no horizontal operation. Where there are few keys, turning the output costs as much
/// as computing it: then it is [rows][Dv], and the weights are the scalars.
///
/// For few queries (`inRows`) it is the other way round: scores and weights are [rows][keys],
/// the output is [rows][Dv], a row being one query of one of the heads that share a key head.
///
/// Words: a score is a product of query and key, a weight what the softmax makes of it. `unit`: scores are kept in
/// units of log(2) where that is possible, so that exp is 2^x. `removed`: masked or out of causal order, its score
/// -inf. A task is computed again `checked` if its result is not finite: then weights of removed keys are -0.0
/// (`isMarked`), so that they are skipped instead of multiplied; `leaving` takes that mark off what is stored.
/// `turned`: transposed in registers. `once`/`atOnce`: all keys in one block; `online`: one more block, `rescale`d to
/// the new maximum.
class AttentionEmitter {
public:
  AttentionEmitter(mlir::RewriterBase &rewriter, AttentionOp op, const AttentionTiles &tiles);
  mlir::LogicalResult check();
  void emit();

private:
  using Value = mlir::Value;
  using OpFoldResult = mlir::OpFoldResult;
  /// Keys or values as they are read, and what each row of them is to be multiplied with, if anything.
  struct StoredRows {
    Value numbers, scales;
  };
  /// What one task works on.
  struct Task {
    QueryBlocks blocks;
    Extent queries; // of the lanes
    Value batch, head, keyHead, firstQuery;
    Value query;                    // [D][lanes] or [rows][D], scaled, unless it will be rounded
    Value factor;                   // the query as it is multiplied
    StoredRows keys, values;        // [Skv][D], [Skv][Dv]; scales [Skv]
    Value length;                   // valid keys
    Value fullBegin, fullEnd;       // keys that no query of the task has removed
    Value blockBegin, blockEnd;     // key blocks that some query of the task reads
    bool checked = false;           // removed keys are told from weights of 0
    bool outputRows = false;        // the output is [rows][Dv]
    bool seesAll = false;           // positions remove no key of the blocks in the loop
    Value removeAbove, removeBelow; // key j goes where j > i + above, j < i + below (null: never)
  };
  /// The tensors that go through the key blocks in place.
  struct Running {
    Value maximum, sum, output, scores;
    llvm::SmallVector<Value> list() const { return {maximum, sum, output, scores}; }
    llvm::SmallVector<Value> results() const { return {sum, output, scores}; }
    static Running from(mlir::ValueRange v) { return {v[0], v[1], v[2], v[3]}; }
  };
  /// What is so far, at the maximum with one more block; what to subtract from its scores.
  struct Rescaled {
    Value maximum, shift, sum, output;
  };

  // Attention.cpp: loops.
  Task makeTask(const QueryBlocks &blocks, mlir::ValueRange ivs, Value block);
  llvm::SmallVector<Value> emitGroup(const QueryBlocks &blocks, mlir::ValueRange results);
  /// `place`: where result i of the task goes.
  llvm::SmallVector<Value> emitTask(Task &task, llvm::function_ref<Value(unsigned i)> place);
  Running run(Task &task);
  Running compute(Task &task, Running running);
  Running overKeys(Task &task, Running running);

  // AttentionParts.cpp: keys of few queries, cut into parts.
  struct PartPlace {
    llvm::SmallVector<OpFoldResult> offsets;
    llvm::SmallVector<Extent> sizes;
    llvm::SmallVector<unsigned> keep;
  };
  int64_t partBlocks() const;
  PartPlace partPlace(const Task &task, Value part, llvm::ArrayRef<int64_t> columns = {});
  llvm::SmallVector<Value> emitEachPart(const QueryBlocks &blocks, Value count);
  Running join(const Task &task, Value count, mlir::ValueRange parts);
  Value emitParts(const QueryBlocks &blocks, Value result);

  // AttentionAnySizes.cpp: queries and keys whose number only the call knows.
  bool readsState();
  bool countsKeys();
  llvm::SmallVector<Value> emitWidths(Task &task, mlir::ValueRange places, int64_t lanes);
  Value queryRows(Task &task, Value from, llvm::ArrayRef<OpFoldResult> first, unsigned queryAt, unsigned columnAt,
                  const Extent &count, int64_t columns, TileBuilder::Body change);
  Value turned(Value rows);
  Value queryElements(Task &task, Value from, llvm::ArrayRef<OpFoldResult> first, unsigned queryAt);
  mlir::LogicalResult checkAnyKeys(int64_t limit, bool turns);
  Running overAnyKeys(Task &task, Running running);
  Value storeSome(Task &task, Value rows, const Extent &columns, Value target);
  Value storeAnyKeys(Task &task, const Running &running, Value target);

  // AttentionDiagonal.cpp: blocks that the causal order cuts from corner to corner.
  bool isPlainCausal();
  int64_t diagonal();
  bool cutsCorners(const QueryBlocks &blocks);
  Running upToDiagonal(Task &task, Running running);
  Running onDiagonal(Task &task, Value firstKey, Running running);

  // AttentionRows.cpp: few queries.
  Value loadRows(Task &task);
  Value ofEachHead(Task &task, Value scores, llvm::function_ref<Value(Task &, Value)> change);
  Value storeRows(Value tile, Layout layout, Value target);
  Running onlineInVectors(Task &task, Value firstKey, const Extent &count, Running running);

  // AttentionStored.cpp: a past of integers, which have a scale a row.
  StoredRows storedRows(Value rows);
  StoredRows storedHead(const StoredRows &all, Layout layout, Value batch, Value head, int64_t width);
  Value numberOf(TileBuilder &inner, Value stored);
  Value mayOverflow(const Task &task);
  Value timesScales(Value scales, Value firstKey, const Extent &count, Value tile);

  // AttentionRounded.cpp: factors that are bf16.
  bool inPairs(const Task &task);
  using TileExtents = std::array<Extent, 2>;
  TileExtents extentsOf(Value tile);
  Value emptyLike(const TileExtents &extents, mlir::Type type);
  Value rounded(Value tile);
  Value pairs(Value tile, unsigned along);
  Value asFactor(const Task &task, Value tile, unsigned along);
  Value plusProduct(TileBuilder &inner, Value x, Value y, Value sum);
  Value powerOf(TileBuilder &inner, Value maximum);

  // AttentionScores.cpp: scores of a key block, bias and masks.
  double queryScale();
  double productScale();
  double maskedScore();
  Value loadQuery(Task &task);
  Value readAhead(const Task &task, Value product);
  Value products(Task &task, Value firstKey, const Extent &count, Value query, Value into);
  Value scores(Task &task, Value firstKey, const Extent &count, Value into);
  Value modified(Task &task, Value firstKey, const Extent &count, Value scores);
  Value withOperands(Task &task, llvm::ArrayRef<Value> operands, Value firstKey, const Extent &count, Value tile,
                     TileBuilder::Body body);
  Value inRegion(Task &task, TileBuilder &inner, mlir::Region &region, Value firstKey, Value value,
                 mlir::ValueRange elements);
  Value broadcastSlice(Task &task, Value operand, Value firstKey, const Extent &count, Dims &dims);
  void findRange(Task &task);
  bool removesKeys();
  Value withoutRemoved(Task &task, Value firstKey, const Extent &count, Value scores);
  Value removed(Task &task, Value firstKey, Value scores);

  // AttentionSoftmax.cpp: softmax along the keys and the sum of values.
  Running online(Task &task, Value firstKey, const Extent &count, Running running);
  Running atOnce(Task &task, Running running);
  static Value largerOf(TileBuilder &inner, Value x, Value y);
  llvm::StringRef alongKeys() const { return tiles.inRows ? "pr" : "rp"; }
  Value largestOf(Value scores);
  Value largestOf(Value scores, Value into);
  Value largestOf(llvm::StringRef iterators, llvm::ArrayRef<Dims> dims, Value scores, Value into);
  Value isMarked(TileBuilder &inner, Value weight);
  Value weightOf(Task &task, TileBuilder &inner, Value score, Value shift);
  Rescaled rescale(const Running &running, Value highest);
  Value expOfDifference(TileBuilder &inner, Value x, Value y);
  llvm::SmallVector<Value> exponentials(Task &task, Value shift, Value scores, Value sum);
  Value weighted(Task &task, Value firstKey, const Extent &count, Value weights, Value output);
  Value probabilities(Task &task, const Extent &count, Value weights, Value sum);
  Value isNotFinite(Value tile);
  bool outputInRows(const QueryBlocks &blocks) const;
  Value normalized(Task &task, Value tile, Value sum, bool rows, double none = 0.0);
  Value store(Task &task, Value tile, Value target, bool rows);
  Value leaving(TileBuilder &inner, Value value);

  // AttentionPadding.cpp: queries and keys of padding.
  void takeSelect();
  mlir::scf::IfOp ifActive(Task &task, mlir::Type type);
  Value elseZeros(mlir::scf::IfOp choice, Value tile, Value place);
  Value withoutInactive(Task &task, Value inverse);
  bool masksEnds();
  void findMaskedEnds();

  llvm::SmallVector<mlir::OpFoldResult> headOffsets(Layout layout, Value batch, Value head, Value position);
  llvm::SmallVector<Extent> headSizes(Layout layout, const Extent &positions, int64_t size, int64_t heads = 1);
  static llvm::SmallVector<unsigned> headKeep(Layout layout);
  /// A tile of `rows` queries and `columns` keys or elements.
  llvm::SmallVector<int64_t> tileShape(int64_t rows, int64_t columns) const;

  TileBuilder b;
  mlir::RewriterBase &rewriter;
  AttentionOp op;
  AttentionTiles tiles;
  mlir::Type element, precision; // of scores and values; of the softmax
  double unit;                   // a score of 1 as the emitted code holds it
  Extent batch, queries, keys;
  int64_t heads, keyHeads, size, valueSize;
  int64_t blockK, fullBlocks, tail;
  unsigned keyDim = 0, queryDim = 1; // of a tile of scores
  int64_t sharing = 1;               // heads of one task
  bool once;                         // all keys in one block
  bool counted;                      // only a call knows how many there are, or how many of a state are filled
  int64_t ahead = 0;                 // bytes of keys and values that are asked for before they are read
  Value mask;                        // as bytes; null without a mask
  llvm::SmallVector<Value> reads;    // of the regions; booleans as bytes
  mlir::linalg::GenericOp select;    // rows of the result that are needed; null: all
  Value active;                      // its flags [batch, queries], bytes
  Value firstKept, endKept;          // keys that the mask leaves of each entry; null: all
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_ATTENTIONEMITTER_H
