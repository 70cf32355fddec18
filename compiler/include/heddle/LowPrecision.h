//===- LowPrecision.h - layers in fewer bits --------------------*- C++ -*-===//
//
// What a model is computed in, where that is less than f32: its weights are stored in fewer bits, and rows of a layer's
// input are rounded before they are multiplied. The model that comes out means exactly that; the interpreter says what.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LOWPRECISION_H
#define HEDDLE_LOWPRECISION_H

#include "heddle/Import.h"
#include "interpreter/Tensor.h"

#include "llvm/Support/raw_ostream.h"

#include <array>

namespace heddle {

/// How a layer's weight is stored and the rows of its input are rounded.
enum class LayerFormat {
  F32,
  BF16,     // both are bf16, sums are f32
  Int8,     // weights i8 with a scale a column, rows ui8 with a step and a zero point a row
  Int8Block // the same in blocks of 32 along the contraction
};
llvm::StringRef formatName(LayerFormat format);

/// Parts of a model, as people name them.
enum class ModelPart { Linear, Ffn, Embedding, Attention };
inline constexpr size_t numParts = 4;

/// What was asked for: `--precision`.
struct PrecisionChoice {
  std::string text = "f32"; // as it was given
  /// "bf16" or "f16": weights are stored in that and all is computed in f32. "": `formats` say.
  std::string storage;
  std::array<LayerFormat, numParts> formats = {}; // all f32

  LayerFormat of(ModelPart part) const { return formats[size_t(part)]; }
  /// Whether a layer is computed in less than f32.
  bool rounds() const;
};

/// Reads "int8", "int8:ffn", "int8:ffn,bf16:linear". What is wrong with it; "" if nothing is.
std::string parsePrecision(llvm::StringRef text, PrecisionChoice &choice);

/// What each layer of a model becomes. Layers are known by their weight (`weightKey`), so that one plan is for the
/// model at all sizes, and layers that share a weight share what becomes of it.
struct PrecisionPlan {
  PrecisionChoice choice;
  llvm::StringMap<llvm::SmallVector<int64_t>> exact; // columns of the input that are not rounded, ascending
  llvm::StringMap<LayerFormat> left;                 // what is in another format than its part
};

/// Changes the layers and tables of a module at stage recognise whose weights are stored in floats, and attention; how
/// many there are.
unsigned lowerPrecision(mlir::ModuleOp module, const PrecisionPlan &plan);

/// Stores weights of f32 that do nothing but multiply, as those of layers, as f16 or bf16, and tables that are looked
/// up where they are tied to one: then the model is that with the rounded weights.
void storeLayerWeights(mlir::ModuleOp module, mlir::Type element);

/// What the rows of states, keys and values, are stored in: `--state-precision`.
enum class StateFormat {
  F32,
  BF16,
  F16,
  Int8 // with a scale of f32 a row
};

/// Reads "f32", "bf16", "f16" or "int8". What is wrong with it; "" if nothing is.
std::string parseStatePrecision(llvm::StringRef text, StateFormat &format);

/// Stores rows that are appended to states so: heddle.append rounds them, and who reads them gets them widened. Scales
/// are a state of their own, "NAME.scale". An error is emitted where the module has no states, or one that is replaced
/// by each call or is not of f32.
mlir::LogicalResult storeStateRows(mlir::ModuleOp module, StateFormat format);
/// The same of a model, of whatever sizes it is imported again.
mlir::LogicalResult storeStates(Model &model, StateFormat format);

/// A model in f32, as it was imported, and inputs of its.
struct CalibrationCase {
  Model model;
  std::vector<Tensor> inputs;
  bool isOnlyJudged = false; // says nothing of columns: where a cosine is asked for
};

struct PrecisionOptions {
  PrecisionChoice choice;
  /// Layers are left in bf16 or f32 until the cosine of each row of each output is at least this, with room for inputs
  /// that are not seen; 0: none is left.
  double leastCosine = 0;
  /// Where it is said which layers were left, and why.
  llvm::raw_ostream *notes = nullptr;
};

/// An error where it takes more memory than there is, so many bytes, to see the layers of `model` at work.
mlir::LogicalResult checkCalibrationMemory(mlir::ModuleOp model, uint64_t bytes);

/// Makes `model` one that is computed as `options` say, of whatever sizes it is imported again. A few columns of each
/// layer's input stay exact: those that are largest in `cases`, of which there is one at least where the choice rounds.
/// Errors are emitted: a model without a layer of that kind, an interpretation that fails, a cosine out of reach.
mlir::LogicalResult lowerModel(Model &model, const PrecisionOptions &options,
                               llvm::MutableArrayRef<CalibrationCase> cases);

} // namespace heddle

#endif // HEDDLE_LOWPRECISION_H
