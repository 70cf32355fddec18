//===- Layers.h - layers that families share --------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_LAYERS_H
#define HEDDLE_IMPORT_HUGGINGFACE_LAYERS_H

#include "../module/MainBuilder.h"
#include "../sizes/Dim.h"
#include "Checkpoint.h"
#include "Heddle.h"
#include "Past.h"

#include <limits>

namespace heddle {

/// A linear layer of a checkpoint. Its tensors are NAME.weight and, unless `bias` is false, NAME.bias.
struct Projection {
  std::string name;
  int64_t out; // the number of outputs
  bool bias = true;
  /// Whether the weight is stored as [in, out] (Conv1D of transformers) instead of [out, in].
  bool inOut = false;
  /// If `storedOut` is not 0, the checkpoint contains several layers as one stored layer with `storedOut` outputs. This
  /// Projection consists of `out` of these outputs, from `begin` on.
  int64_t storedOut = 0, begin = 0;
  /// The number of groups into which the outputs of the stored layer are divided. Each group contains an equal part of
  /// every layer. For example, gpt_neox stores a group for each head, with the head's query, key and value. With
  /// several groups, `begin` is an offset in each group.
  int64_t groups = 1;
};

/// Options that change attention from the plain softmax of scaled products.
struct AttentionTraits {
  mlir::Value mask = {}; // i1, broadcast to [batch, heads, queries, keys]; true if the query attends to the key
  mlir::Value bias = {}; // added to the scores; null if there is none
  std::optional<double> scale = std::nullopt;   // the factor of the scores; if not set, 1/sqrt(head size)
  std::optional<double> softcap = std::nullopt; // scores are cap x tanh(score / cap)
  Causal causal = Causal::None;
  llvm::SmallVector<int64_t> window = {}; // keys before and after the query, -1 for all; empty if there is no window
  mlir::Value keyLengths = {};            // [batch], the number of valid keys; null if all keys are valid
  /// The score of a key for which `mask` is false. transformers adds the lowest f32 to such a score. The sum is exactly
  /// the lowest f32, since scores are too small to change it. Therefore a query for which all keys are masked attends
  /// evenly to all keys.
  double maskedScore = std::numeric_limits<float>::lowest();
};

/// Cosines and sines of the angles by which queries and keys are rotated at each position. Each tensor is [sequence,
/// pairs], or [batch, sequence, pairs] in a model with a past.
struct Rotation {
  mlir::Value cosine, sine;
};

/// A feed-forward block: down(activation(up(x))), or down(activation(gate(x)) * up(x)) if there is a gate.
struct FeedForward {
  Projection up, down;
  std::optional<Projection> gate = std::nullopt;
  Activation activation = Activation::Gelu;
};

/// Builds layers into `main` with the weights of a checkpoint. A missing weight is recorded as an error of the
/// checkpoint, and building continues as if the weight existed.
class Layers {
public:
  /// If `past` is not null, attention appends its keys and values to it.
  Layers(MainBuilder &main, Checkpoint &checkpoint, Dim batch, Dim sequence, Past *past = nullptr)
      : main(main), checkpoint(checkpoint), batch(std::move(batch)), sequence(std::move(sequence)), past(past) {}

  /// Sets the location of the operations that are built from now on to `name`, the name of a part of the model.
  void enter(llvm::StringRef name);

  /// Creates a weight that layers use in the shape in which the checkpoint stores it, such as a table of embeddings.
  /// `names` are its possible names.
  mlir::Value weight(llvm::ArrayRef<std::string> names, llvm::ArrayRef<int64_t> shape);

  /// Returns the rows of a table of embeddings with the indices `ids`: [batch, sequence, width].
  mlir::Value embed(const std::string &table, int64_t rows, int64_t width, mlir::Value ids);

  /// Builds a linear layer. `residual`, if it is not null, is added after the activation.
  mlir::Value linear(mlir::Value input, const Projection &projection, mlir::Value residual = {},
                     Activation activation = Activation::None);
  /// Builds a linear layer from a weight that is stored as [out, in] and a bias. `weights` and `biases` are their
  /// possible names; if `biases` is empty, the layer has no bias.
  mlir::Value linear(mlir::Value input, llvm::ArrayRef<std::string> weights, llvm::ArrayRef<std::string> biases,
                     int64_t out);
  /// Builds a layer normalisation. Its scale and, unless `bias` is false, its bias are NAME.weight and NAME.bias, or
  /// NAME.gamma and NAME.beta in checkpoints that were converted from TensorFlow.
  mlir::Value layerNorm(mlir::Value input, const std::string &name, double epsilon, bool bias = true);
  /// Builds an RMS normalisation, whose scale is NAME.weight + `plus`.
  mlir::Value rmsNorm(mlir::Value input, const std::string &name, double epsilon, double plus = 0);
  /// Builds a feed-forward block, and adds `residual` to its result if `residual` is not null.
  mlir::Value feedForward(mlir::Value input, const FeedForward &layers, mlir::Value residual = {});

  /// splitHeads() reshapes [batch, sequence, heads x size] to [batch, sequence, heads, size]; mergeHeads() does the
  /// reverse.
  mlir::Value splitHeads(mlir::Value value, int64_t heads);
  mlir::Value mergeHeads(mlir::Value value);

  /// Rotates a query or key [batch, sequence, heads, size]. Element i of a head is paired with element i + pairs, where
  /// `pairs` is the number of pairs.
  mlir::Value rotate(mlir::Value heads, const Rotation &rotation);

  /// Builds attention on query, key and value [batch, sequence, heads, size]. Keys and values may have fewer heads than
  /// queries. The result has the same shape as the query, but with the head size of the value.
  mlir::Value attention(mlir::Value query, mlir::Value key, mlir::Value value, const AttentionTraits &traits);

  mlir::Value add(mlir::Value left, mlir::Value right);

  /// Returns the maximum number of positions: the capacity of the past, or the sequence length if there is no past.
  const Dim &maxPositions() const { return past ? past->capacity : sequence; }
  /// Returns the rows of `table` for the positions of the tokens: [sequence, ..], or [batch, sequence, ..] with a past.
  /// The table must have at least `maxPositions` rows.
  mlir::Value rowsOfPositions(mlir::Value table);

  /// Reshapes `mask` [batch, sequence] to a mask of keys [batch, 1, 1, sequence].
  mlir::Value maskKeys(mlir::Value mask);

  MainBuilder &main;
  Checkpoint &checkpoint;
  const Dim batch, sequence;
  Past *const past; // null if there is no past

private:
  /// projectionWeight() returns the weight [in, out] of a layer with `in` inputs, and projectionBias() returns its
  /// bias; null if the layer has none.
  LinearWeight projectionWeight(int64_t in, const Projection &projection);
  mlir::Value linear(mlir::Value input, const LinearWeight &weight, mlir::Value bias, mlir::Value residual,
                     Activation activation);
  mlir::Value projectionBias(const Projection &projection);
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_LAYERS_H
