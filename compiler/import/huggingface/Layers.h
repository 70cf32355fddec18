//===- Layers.h - layers that families have in common -----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_LAYERS_H
#define HEDDLE_IMPORT_HUGGINGFACE_LAYERS_H

#include "../module/MainBuilder.h"
#include "../sizes/Dim.h"
#include "Checkpoint.h"
#include "Heddle.h"
#include "Past.h"
#include "QuantizedWeights.h"

#include <limits>

namespace heddle {

/// A linear layer of a checkpoint: NAME.weight, and NAME.bias unless it has none.
struct Projection {
  std::string name;
  int64_t out;
  bool bias = true;
  /// The weight is stored as [in, out] (Conv1D of transformers), not as [out, in].
  bool inOut = false;
  /// Several layers are stored as one: of its `storedOut` outputs, these are `out` from `begin` on. 0: it is alone.
  int64_t storedOut = 0, begin = 0;
  /// Or in so many groups, each with an equal part of every layer (a head's query, key and value): `begin` is in these.
  int64_t groups = 1;
};

/// What attention does besides the softmax of scaled products.
struct AttentionTraits {
  mlir::Value mask = {}; // i1, broadcast to [batch, heads, queries, keys], true = attend
  mlir::Value bias = {};
  std::optional<double> scale = std::nullopt; // 1/sqrt(head size)
  std::optional<double> softcap = std::nullopt;
  Causal causal = Causal::None;
  llvm::SmallVector<int64_t> window = {}; // left and right extent; none: no window
  mlir::Value keyLengths = {};            // [batch], of the keys that count; null: all do
  /// transformers adds the lowest f32 to the score of a masked entry, which leaves exactly that
  /// number (a score vanishes against it): a row masked everywhere attends evenly to all keys.
  double maskedScore = std::numeric_limits<float>::lowest();
};

/// Cosines and sines of the angles by which positions turn queries and keys, [sequence, pairs] each; with a past
/// [batch, sequence, pairs].
struct Rotation {
  mlir::Value cosine, sine;
};

struct FeedForward {
  Projection up, down;
  std::optional<Projection> gate = std::nullopt;
  Activation activation = Activation::Gelu;
};

/// Builds layers into `main` with the weights of a checkpoint. A weight that is missing is an error of the
/// checkpoint, and what is built goes on as if it were there.
class Layers {
public:
  /// With a past, keys and values are appended to it.
  Layers(MainBuilder &main, Checkpoint &checkpoint, Dim batch, Dim sequence, Past *past = nullptr)
      : main(main), checkpoint(checkpoint), batch(std::move(batch)), sequence(std::move(sequence)), past(past) {}

  /// What is built from here on comes from this part of the model.
  void enter(llvm::StringRef name);

  /// A table of embeddings, or another weight that is stored as it is used. By the first of `names` there is.
  mlir::Value weight(llvm::ArrayRef<std::string> names, llvm::ArrayRef<int64_t> shape);

  /// A table of embeddings, looked up: [batch, sequence, width].
  mlir::Value embed(const std::string &table, int64_t rows, int64_t width, mlir::Value ids);

  mlir::Value linear(mlir::Value input, const Projection &projection, mlir::Value residual = {},
                     Activation activation = Activation::None);
  /// A weight [out, in] and a bias, each by the first of its names there is; no names: no bias.
  mlir::Value linear(mlir::Value input, llvm::ArrayRef<std::string> weights, llvm::ArrayRef<std::string> biases,
                     int64_t out);
  /// NAME.weight and NAME.bias, or NAME.gamma and NAME.beta as in checkpoints converted from TensorFlow.
  mlir::Value layerNorm(mlir::Value input, const std::string &name, double epsilon, bool bias = true);
  /// The scale is NAME.weight, and `plus` more.
  mlir::Value rmsNorm(mlir::Value input, const std::string &name, double epsilon, double plus = 0);
  mlir::Value feedForward(mlir::Value input, const FeedForward &layers, mlir::Value residual = {});

  /// [batch, sequence, heads x size] as [batch, sequence, heads, size], and back.
  mlir::Value splitHeads(mlir::Value value, int64_t heads);
  mlir::Value mergeHeads(mlir::Value value);

  /// Of query or key [batch, sequence, heads, size]: element i of a pair is apart from the other by their number.
  mlir::Value rotate(mlir::Value heads, const Rotation &rotation);

  /// Of query, key and value [batch, sequence, heads, size]; so is the result.
  mlir::Value attention(mlir::Value query, mlir::Value key, mlir::Value value, const AttentionTraits &traits);

  mlir::Value add(mlir::Value left, mlir::Value right);

  /// How many positions there can be at most, in all calls.
  const Dim &mostPositions() const { return past ? past->capacity : sequence; }
  /// Of `table`, which has a row for each of these, those of the tokens' positions: [sequence, ..]; with a past
  /// [batch, sequence, ..].
  mlir::Value rowsOfPositions(mlir::Value table);

  /// `mask` [batch, sequence] as [batch, 1, 1, sequence], a mask of keys.
  mlir::Value maskKeys(mlir::Value mask);

  MainBuilder &main;
  Checkpoint &checkpoint;
  const Dim batch, sequence;
  Past *const past; // null: there is none

private:
  LinearWeight projectionWeight(int64_t in, const Projection &projection);
  mlir::Value linear(mlir::Value input, const LinearWeight &weight, mlir::Value bias, mlir::Value residual,
                     Activation activation);
  mlir::Value projectionBias(const Projection &projection);
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_LAYERS_H
