//===- StoredLayers.h - layers with stored weights --------------*- C++ -*-===//

#ifndef HEDDLE_PRECISION_STOREDLAYERS_H
#define HEDDLE_PRECISION_STOREDLAYERS_H

#include "heddle/LowPrecision.h"

#include "Heddle.h"

namespace heddle {

/// The number of elements that share a scale in tables, and in layers whose format has blocks.
inline constexpr int64_t blockLength = 32;

/// A linear layer in f32 that does not round its rows. Its weight is a heddle.weight or a heddle.dequantize of one, and
/// is not computed by other operations.
struct StoredLayer {
  LinearOp linear;
  WeightOp weight;
  LayerFormat format; // the chosen format for this kind of layer
  /// Whether the model's file contains the weight as integers with a scale for each group of `blockLength` rows or half
  /// as many, which int8-block can multiply. Then `weight` is these integers, and the layer has no other formats than
  /// int8-block, which keeps the weight, and f32.
  bool isInBlocks = false;

  /// Returns the key of the layer in a plan: the weightKey() of its weight.
  std::string key() const;
};

/// Returns the name of a weight and its recipe (the steps that are applied to the stored tensor when a library is
/// written) as text. The text is the same at all sizes of a model.
std::string weightKey(WeightOp weight);

/// Returns, in program order, the layers of a module whose kind (ModelPart) has a format other than f32 in `choice`. If
/// FFNs have such a format, each heddle.ffn is decomposed into linear layers, unless one of its weights is stored in a
/// way that the format does not support.
llvm::SmallVector<StoredLayer> takeLayers(mlir::ModuleOp module, const PrecisionChoice &choice);

/// Returns the tables of f32, or widened to f32, that only lookups use and that have rows of at least 16 elements.
/// Shorter rows are usually biases of scores rather than embeddings, and storing a scale for each of them would save
/// little. Each returned value is the operand of the lookups.
llvm::SmallVector<mlir::Value> findTables(mlir::ModuleOp module);

/// The key that represents all attention operations in a plan, since attention has no weight to identify it.
inline constexpr llvm::StringRef attentionKey = "attention";

/// Returns the attention operations in f32 whose products may be computed in bf16: the softmax is in f32, and the
/// attention probabilities are neither a result nor changed by a region. Attention that already rounds its operands is
/// excluded, and so is attention that reads a state: each row of the state is multiplied by only one or a few queries,
/// so rounding the row would take as long as the multiplication.
llvm::SmallVector<AttentionOp> findAttention(mlir::ModuleOp module);

/// Returns whether the keys or the values of `op` are rows of a state.
bool readsState(AttentionOp op);

/// Returns the number of outlier channels of an input with `k` columns.
int64_t countOutliers(int64_t k);

/// storeWeight returns `weight`, stored in a format and widened to f32; the rows with the indices `outliers` stay in
/// f32. roundingOf returns the rounding of the input's rows in this format, or null if they are not rounded.
mlir::Value storeWeight(mlir::OpBuilder &builder, WeightOp weight, LayerFormat format,
                        llvm::ArrayRef<int64_t> outliers);
RowRoundingAttr roundingOf(mlir::MLIRContext *context, LayerFormat format, llvm::ArrayRef<int64_t> outliers);

/// Returns the elements of `table`, stored as 8-bit integers with a scale for every 32 elements of a row.
mlir::Value storeTable(mlir::OpBuilder &builder, mlir::Value table);

/// formatOf returns the format of a layer in the plan, and outlierChannelsOf returns the outlier channels of its input.
/// Only layers in the int8 formats have them.
LayerFormat formatOf(const StoredLayer &layer, const PrecisionPlan &plan);
llvm::SmallVector<int64_t> outlierChannelsOf(const StoredLayer &layer, LayerFormat format, const PrecisionPlan &plan);

/// Builds a new layer in another format and inserts it before the old layer, which is not erased. The new layer has the
/// same input and rounds its rows.
LinearOp roundLayer(mlir::OpBuilder &builder, const StoredLayer &layer, LayerFormat format,
                    llvm::ArrayRef<int64_t> outliers);

} // namespace heddle

#endif // HEDDLE_PRECISION_STOREDLAYERS_H
