//===- Attention.cpp - the meaning of heddle.attention --------------------===//

#include "reference/AttentionRegion.h"
#include "reference/Reference.h"
#include "reference/RowRounding.h"
#include "reference/Softmax.h"

using namespace mlir;
using namespace heddle;

/// Returns the elements of a query, key or value in the order [B,H,S,D].
template <typename Real>
static std::vector<Real> headsFirst(const Tensor &tensor, Layout layout) {
  if (layout == Layout::Bhsd)
    return elementsOf<Real>(tensor);
  int64_t batch = tensor.dim(0), sequence = tensor.dim(1), heads = tensor.dim(2), d = tensor.dim(3);
  std::vector<Real> result(tensor.size());
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t s = 0; s < sequence; ++s)
        for (int64_t i = 0; i < d; ++i)
          result[((b * heads + h) * sequence + s) * d + i] =
              Real(tensor.floats()[((b * sequence + s) * heads + h) * d + i]);
  return result;
}

/// Whether `causal` and `window` allow query i to attend to key j. `keys` is the number of valid keys.
static bool isVisible(AttentionOp op, int64_t i, int64_t j, int64_t queries, int64_t keys) {
  // The index of the key at the query's position. The last query is at the position of the last valid key; with
  // upper_left, the first query is at the position of the first key.
  int64_t position = op.getCausal() == Causal::UpperLeft ? i : i + keys - queries;
  if (op.getCausal() != Causal::None && j > position)
    return false;
  int64_t left = op.getWindowLeft(), right = op.getWindowRight();
  return (left < 0 || j >= position - left) && (right < 0 || j <= position + right);
}

/// Rounds each row of `d` elements to `type`. With `worstCaseRounding`, elements close to a rounding boundary are
/// rounded to the other side (RowRounding.h), and denormals become zero, as in instructions that multiply bf16.
template <typename Real>
static void roundHeads(std::vector<Real> &elements, int64_t d, FloatType type, bool worstCaseRounding) {
  for (size_t at = 0; at < elements.size(); at += d) {
    std::vector<double> row(elements.begin() + at, elements.begin() + at + d);
    roundRowNarrow(row, type, worstCaseRounding, {});
    std::copy(row.begin(), row.end(), elements.begin() + at);
  }
  if (worstCaseRounding)
    takeDenormalsForZero(elements);
}

/// Replaces the scores of a query by their softmax, which is computed in the op's softmax precision. `empty_row`
/// selects the result if all scores are -inf or the probabilities are NaN. Sets `ignored` for keys that contribute
/// nothing to the result: keys with a score of -inf. If the probabilities are NaN, sets it for all keys if `empty_row`
/// replaces NaN by zeros, and otherwise for none.
template <typename Real>
static void softmaxRow(AttentionOp op, MutableArrayRef<Real> row, MutableArrayRef<char> ignored,
                       bool worstCaseRounding) {
  constexpr Real infinity = std::numeric_limits<Real>::infinity();
  for (auto [score, isIgnored] : llvm::zip_equal(row, ignored))
    isIgnored = score == -infinity;
  if (op.getEmptyRow() == EmptyRow::Zeros && llvm::all_of(ignored, [](char isIgnored) { return isIgnored; })) {
    llvm::fill(row, Real(0));
  } else if (op.getRounding()) {
    std::vector<double> wide(row.begin(), row.end());
    roundedSoftmax(wide, cast<FloatType>(*op.getRounding()), worstCaseRounding);
    llvm::copy(wide, row.begin());
  } else if (op.getSoftmaxPrecision() == SoftmaxPrecision::F64) {
    std::vector<double> wide(row.begin(), row.end());
    softmax<double>(wide);
    llvm::copy(wide, row.begin());
  } else {
    softmax<Real>(row);
  }
  // A NaN makes all probabilities of the query NaN, also those of keys whose score is -inf.
  if (!llvm::all_of(row, [](Real probability) { return std::isnan(probability); }))
    return;
  bool zeros = op.getEmptyRow() == EmptyRow::NanToZeros;
  llvm::fill(ignored, zeros);
  if (zeros)
    llvm::fill(row, Real(0));
}

/// Adds probabilities [rows, skv] x values [skv, dv] to result [rows, dv]. Keys for which `ignored` is set contribute
/// nothing, even if their values are not finite.
template <typename Real>
static void multiplyByValues(int64_t rows, int64_t dv, int64_t skv, const Real *probabilities, const Real *values,
                             ArrayRef<char> ignored, Real *result) {
  auto finite = [](Real value) { return std::isfinite(value); };
  if (std::all_of(values, values + skv * dv, finite))
    return contract(rows, dv, skv, probabilities, values, result);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < skv; ++j)
      for (int64_t l = 0; l < dv && !ignored[i * skv + j]; ++l)
        result[i * dv + l] += probabilities[i * skv + j] * values[j * dv + l];
}

namespace {
/// Computes heddle.attention according to its definition: for each block of a head's queries the scores of all keys,
/// their softmax, and the product with the values.
struct AttentionReference {
  template <typename Real>
  static LogicalResult evaluate(AttentionOp op, ArrayRef<Tensor> operands, Evaluator &evaluator,
                                SmallVectorImpl<Tensor> &results) {
    std::vector<Real> query = headsFirst<Real>(operands[0], op.getQueryLayout());
    std::vector<Real> key = headsFirst<Real>(operands[1], op.getKeyLayout());
    std::vector<Real> value = headsFirst<Real>(operands[2], op.getValueLayout());
    bool worstCaseRounding = evaluator.precision() != Precision::F64;
    if (std::optional<Type> rounding = op.getRounding()) {
      auto type = cast<FloatType>(*rounding);
      roundHeads(query, operands[0].dim(3), type, worstCaseRounding);
      roundHeads(key, operands[1].dim(3), type, worstCaseRounding);
      roundHeads(value, operands[2].dim(3), type, worstCaseRounding);
    }
    const Tensor *bias = optionalTensor(op.getODSOperands(3), operands);
    const Tensor *mask = optionalTensor(op.getODSOperands(4), operands);
    const Tensor *lengths = optionalTensor(op.getODSOperands(5), operands);
    ArrayRef<Tensor> reads = operands.take_back(op.getReads().size());
    FailureOr<AttentionRegion> changeScores = AttentionRegion::decode(op.getScore(), reads, evaluator);
    FailureOr<AttentionRegion> changeProbabilities = AttentionRegion::decode(op.getProbability(), reads, evaluator);
    if (failed(changeScores) || failed(changeProbabilities))
      return failure();

    unsigned queryHeads = op.getQueryLayout() == Layout::Bhsd ? 1 : 2;
    unsigned keyHeads = op.getKeyLayout() == Layout::Bhsd ? 1 : 2;
    int64_t batch = operands[0].dim(0), heads = operands[0].dim(queryHeads), sq = operands[0].dim(3 - queryHeads);
    int64_t d = operands[0].dim(3), dv = operands[2].dim(3);
    int64_t sharing = heads / operands[1].dim(keyHeads), skv = operands[1].dim(3 - keyHeads);

    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    Real scale = op.getScale() ? Real(op.getScale()->convertToDouble()) : 1 / std::sqrt(Real(d));
    Real maskedScore = op.getMaskedScore() ? Real(op.getMaskedScoreValue()) : -infinity;

    // If the probabilities are not a result, only those of one block of a head's queries are stored at a time.
    constexpr int64_t blockRows = 64;
    int64_t blocks = llvm::divideCeil(sq, blockRows);
    bool keep = op.getWithWeights();
    std::vector<Real> probabilities((keep ? batch * heads * sq : std::min(blockRows, sq)) * skv);
    std::vector<Real> result(batch * heads * sq * dv), keyT(d * skv);
    std::vector<char> ignored(std::min(blockRows, sq) * skv); // the keys that contribute nothing
    for (int64_t b = 0; b < batch; ++b) {
      int64_t valid = lengths ? std::clamp<int64_t>(lengths->ints()[b], 0, skv) : skv;
      for (int64_t block = 0; block < heads * blocks; ++block) {
        int64_t h = block / blocks, start = block % blocks * blockRows, rows = std::min(blockRows, sq - start);
        int64_t head = b * heads + h, shared = head / sharing; // `sharing` = Hq / Hkv query heads use one key head
        int64_t first = head * sq + start;
        for (int64_t j = 0; start == 0 && j < skv; ++j)
          for (int64_t l = 0; l < d; ++l)
            keyT[l * skv + j] = key[(shared * skv + j) * d + l];
        Real *scores = probabilities.data() + (keep ? first * skv : 0);
        std::fill_n(scores, rows * skv, Real(0));
        contract(rows, skv, d, query.data() + first * d, keyT.data(), scores);
        for (int64_t i = 0; i < rows; ++i) {
          MutableArrayRef<Real> row(scores + i * skv, skv);
          for (int64_t j = 0; j < skv; ++j) {
            Real score = scale * row[j];
            if (op.getSoftcap()) {
              Real cap = Real(op.getSoftcap()->convertToDouble());
              score = cap * std::tanh(score / cap);
            }
            if (bias)
              score += Real(bias->floats()[broadcastOffset(*bias, {b, h, start + i, j})]);
            row[j] = score;
          }
          if (failed(changeScores->apply(row, {b, h, start + i})))
            return failure();
          for (int64_t j = 0; j < skv; ++j) {
            if (mask && !mask->ints()[broadcastOffset(*mask, {b, h, start + i, j})])
              row[j] = maskedScore;
            if (j >= valid || !isVisible(op, start + i, j, sq, valid))
              row[j] = -infinity;
          }
          MutableArrayRef<char> rowIgnored = MutableArrayRef(ignored).slice(i * skv, skv);
          softmaxRow<Real>(op, row, rowIgnored, worstCaseRounding);
          if (failed(changeProbabilities->apply(row, {b, h, start + i})))
            return failure();
          for (auto [probability, isIgnored] : llvm::zip_equal(row, rowIgnored))
            isIgnored &= probability == 0;
        }
        multiplyByValues<Real>(rows, dv, skv, scores, value.data() + shared * skv * dv, ignored,
                               result.data() + first * dv);
      }
    }

    // headsFirst swaps the middle two dimensions, so it also converts [B,H,S,D] to [B,S,H,D].
    Type type = operands[0].elementType();
    Tensor output = tensorOf<Real>({batch, heads, sq, dv}, type, result);
    if (op.getResultLayout() == Layout::Bshd)
      output = tensorOf<Real>({batch, sq, heads, dv}, type, headsFirst<Real>(output, Layout::Bshd));
    results.push_back(output);
    if (keep)
      results.push_back(tensorOf<Real>({batch, heads, sq, skv}, type, probabilities));
    return success();
  }
};
} // namespace

void heddle::registerAttentionReference(MLIRContext *context) {
  AttentionOp::attachInterface<ReferenceModel<AttentionOp, AttentionReference>>(*context);
}
