//===- StoredLayers.h - layers whose weights are stored ---------*- C++ -*-===//

#ifndef HEDDLE_PRECISION_STOREDLAYERS_H
#define HEDDLE_PRECISION_STOREDLAYERS_H

#include "heddle/LowPrecision.h"

#include "Heddle.h"

namespace heddle {

/// A linear layer of f32 that rounds nothing, of which the weight is stored.
struct StoredLayer {
  LinearOp linear;
  WeightOp weight;
  LayerFormat format; // of its part

  std::string key() const;
};

/// Name and recipe of a weight: the same in a model of any size.
std::string weightKey(WeightOp weight);

/// The layers of a module, in its order, whose part is in less than f32. heddle.ffn is taken apart where that is one.
llvm::SmallVector<StoredLayer> takeLayers(mlir::ModuleOp module, const PrecisionChoice &choice);

/// Tables of f32, or widened to it, that are looked up only, in rows of 16 elements and more: shorter ones are biases
/// of scores rather than words, and a scale for each would save little. What is read in their place is each value's.
llvm::SmallVector<mlir::Value> findTables(mlir::ModuleOp module);

/// What attention is left under in a plan, all of it as one: it has no weight to be known by.
inline constexpr llvm::StringRef attentionKey = "attention";

/// Attention of f32 whose products may be of bf16: its softmax is in f32, and its weights are its own. What reads a state
/// is not: each row of that is multiplied once by a query or a few, and takes as long to round as to multiply.
llvm::SmallVector<AttentionOp> findAttention(mlir::ModuleOp module);

/// How many columns of an input of `k` stay exact.
int64_t countExact(int64_t k);

/// Reads `weight` in a format, behind which `exact` rows are whole; and how rows of the input are rounded then (null:
/// not).
mlir::Value storeWeight(mlir::OpBuilder &builder, WeightOp weight, LayerFormat format, llvm::ArrayRef<int64_t> exact);
RowRoundingAttr roundingOf(mlir::MLIRContext *context, LayerFormat format, llvm::ArrayRef<int64_t> exact);

/// What `table` reads, in 8 bits, with a scale for each 32 elements of a row.
mlir::Value storeTable(mlir::OpBuilder &builder, mlir::Value table);

/// What a layer is in, and which columns of its input stay exact.
LayerFormat formatOf(const StoredLayer &layer, const PrecisionPlan &plan);
llvm::SmallVector<int64_t> exactOf(const StoredLayer &layer, LayerFormat format, const PrecisionPlan &plan);

/// The layer in another format, beside it: what is rounded is read from the same input.
LinearOp roundLayer(mlir::OpBuilder &builder, const StoredLayer &layer, LayerFormat format,
                    llvm::ArrayRef<int64_t> exact);

} // namespace heddle

#endif // HEDDLE_PRECISION_STOREDLAYERS_H
