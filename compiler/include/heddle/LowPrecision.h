//===- LowPrecision.h - layers in bf16 or int8 ------------------*- C++ -*-===//
//
// Makes a model compute in fewer bits than f32: its weights are stored in fewer bits, and the rows of a layer's input
// are rounded before the product. The rounding is part of the changed model's meaning, so that the interpreter computes
// it, too.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LOWPRECISION_H
#define HEDDLE_LOWPRECISION_H

#include "heddle/Import.h"
#include "heddle/PrecisionChoice.h"
#include "interpreter/Tensor.h"

#include "llvm/Support/raw_ostream.h"

namespace heddle {

/// The format of each layer of a model. Layers are identified by their weight (`weightKey`), so that one plan fits the
/// model at all sizes, and layers that share a weight have the same format.
struct PrecisionPlan {
  PrecisionChoice choice;
  llvm::StringMap<llvm::SmallVector<int64_t>> outliers; // the outlier channels, which are not rounded; ascending
  llvm::StringMap<LayerFormat> left; // the formats of layers that do not have the format that `choice` gives them
};

/// Changes the layers and tables whose weights are stored as floats, and attention, in a module at stage recognise.
/// Returns the number of layers, tables and attention operations to which `plan.choice` applies, including those that
/// `plan.left` leaves in f32.
unsigned lowerPrecision(mlir::ModuleOp module, const PrecisionPlan &plan);

/// Stores f32 weights that are only operands of products, such as weights of layers, as `element` (f16 or bf16). A
/// lookup table that shares such a weight is stored in this way, too. The model then computes with the rounded weights.
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

/// Stores the rows that are appended to states in `format`: heddle.append rounds them, and readers of the state get
/// widened rows. Scales are a state of their own, "NAME.scale". Emits an error if the module has no states, or has a
/// state that each call replaces or that is not f32.
mlir::LogicalResult storeStateRows(mlir::ModuleOp module, StateFormat format);
/// Does the same for a model; it also applies when the model is imported again at other sizes.
mlir::LogicalResult storeStates(Model &model, StateFormat format);

/// A model in f32, as it was imported, and inputs for it.
struct CalibrationCase {
  Model model;
  std::vector<Tensor> inputs;
  bool isOnlyCompared = false; // used only to measure cosines, not to find outlier channels
};

struct PrecisionOptions {
  PrecisionChoice choice;
  /// Layers are left in bf16 or f32 until the cosine of each row of each output is at least this value, with a margin
  /// for inputs that were not tried; 0: no layer is left.
  double minCosine = 0;
  /// Receives text that says which layers were left, and why; may be null.
  llvm::raw_ostream *notes = nullptr;
};

/// Emits an error if running `model` to observe its layers takes more memory, `bytes`, than there is.
mlir::LogicalResult checkCalibrationMemory(mlir::ModuleOp model, uint64_t bytes);

/// Changes `model` to compute as `options` say, whatever sizes it is imported again with. The outlier channels of each
/// layer, a few columns of its input with the largest values in `cases`, are not rounded; if the choice rounds, `cases`
/// must not be empty. Emits an error if no layer is of the requested kind, an interpretation fails, or the cosine
/// cannot be reached.
mlir::LogicalResult lowerModel(Model &model, const PrecisionOptions &options,
                               llvm::MutableArrayRef<CalibrationCase> cases);

} // namespace heddle

#endif // HEDDLE_LOWPRECISION_H
