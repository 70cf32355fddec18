//===- LowPrecision.h - layers in bf16 or int8 ------------------*- C++ -*-===//
//
// Makes a model compute in lower precision than f32: its weights are stored in fewer bits and, unless the precision
// concerns only the storage, the rows of a layer's input are rounded before the product. The changed model contains the
// rounding as operations or attributes, so the interpreter rounds in the same way.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LOWPRECISION_H
#define HEDDLE_LOWPRECISION_H

#include "heddle/Import.h"
#include "heddle/PrecisionChoice.h"
#include "interpreter/Tensor.h"

#include "llvm/Support/raw_ostream.h"

namespace heddle {

/// The formats of the layers, lookup tables (such as embeddings) and attention operations of a model. The key of a
/// layer or table in the maps is a text that identifies its weight (`weightKey` in precision/StoredLayers.h); all
/// attention operations share one key (`attentionKey`). Therefore one plan fits the model at all sizes, and layers that
/// share a weight have the same format.
struct PrecisionPlan {
  PrecisionChoice choice;
  // The outlier channels of each layer, which are not rounded, in ascending order.
  llvm::StringMap<llvm::SmallVector<int64_t>> outliers;
  llvm::StringMap<LayerFormat> exceptions; // the layers whose format differs from that in `choice`
};

/// Changes a module after stage recognise so that it computes in the formats of `plan`. Changes attention operations,
/// and layers and lookup tables whose weights are stored as floats. In the format int8-block, also changes layers whose
/// weights are stored as integers with a scale for each block. Returns the number of layers, tables and attention
/// operations to which `plan.choice` applies, including those that `plan.exceptions` leaves in f32.
unsigned lowerPrecision(mlir::ModuleOp module, const PrecisionPlan &plan);

/// Stores weights as `element` (f16 or bf16) if they are f32, have two or more dimensions and are operands of products,
/// such as the weights of layers. A weight that is also an operand of anything other than products and lookups remains
/// f32. A lookup table is stored as `element` only if it shares its weight with a layer. The model then computes with
/// the rounded weights.
void storeLayerWeights(mlir::ModuleOp module, mlir::Type element);

/// How the rows of states (keys and values) are stored: the value of `--state-precision`.
enum class StateFormat {
  F32,
  BF16,
  F16,
  Int8 // with an f32 scale for each row
};

/// Parses "f32", "bf16", "f16" or "int8". Returns "" or an error text.
std::string parseStatePrecision(llvm::StringRef text, StateFormat &format);

/// Makes the model store the rows of its states in `format`: heddle.append rounds new rows to this format, and
/// operations that read a state read rows that are converted back to f32. Scales are a state of their own,
/// "NAME.scale". Emits an error if the module has no states, or has a state that each call replaces or whose elements
/// are neither f32 nor of this format.
mlir::LogicalResult storeStateRows(mlir::ModuleOp module, StateFormat format);
/// Applies storeStateRows to the module of `model` and to the modules of later imports (Model::importAgain).
mlir::LogicalResult storeStates(Model &model, StateFormat format);

/// A model in f32, as it was imported, and inputs for it.
struct CalibrationCase {
  Model model;
  std::vector<Tensor> inputs;
  bool isOnlyCompared = false; // used only to measure cosines, not to find outlier channels
};

/// The requested precision of a model.
struct PrecisionOptions {
  PrecisionChoice choice;
  /// The minimum cosine between a row of an output and the same row of the model in f32. If the cases do not reach this
  /// cosine, with a margin for inputs that were not tried, some layers get bf16 or f32 instead of the chosen format. If
  /// 0, all layers have the chosen format.
  double minCosine = 0;
  /// Whether attention remains in f32 because the device has no code for it in the precision of the other layers.
  bool leavesAttention = false;
  /// Receives text that lists the layers whose format is not the chosen one, and the reasons; may be null.
  llvm::raw_ostream *notes = nullptr;
};

/// Emits an error if less than `bytes` bytes of memory are available. `bytes` is the amount that calibration needs to
/// interpret `model`.
mlir::LogicalResult checkCalibrationMemory(mlir::ModuleOp model, uint64_t bytes);

/// Changes `model` so that it computes as `options` specify. The change also applies when the model is imported again
/// at other sizes. The outlier channels of each layer, a few columns of its input with the largest values in `cases`,
/// are not rounded. If the chosen precision rounds inputs, `cases` must not be empty. Unless the precision concerns
/// only the storage of weights, emits an error if the model contains no layer of the requested kind, if an
/// interpretation fails or needs more memory than is available, or if `cases` contain no finite row for a layer.
mlir::LogicalResult lowerModel(Model &model, const PrecisionOptions &options,
                               llvm::MutableArrayRef<CalibrationCase> cases);

} // namespace heddle

#endif // HEDDLE_LOWPRECISION_H
