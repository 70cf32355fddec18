//===- OpTable.h - the table of supported operators -------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPTABLE_H
#define HEDDLE_IMPORT_ONNX_OPTABLE_H

#include "NodeContext.h"

#include "llvm/ADT/StringMap.h"

namespace heddle::onnx {

/// A supported operator.
struct OpEntry {
  /// Converts the node and sets its results. Operands with an index less than `minInputs` are present.
  llvm::LogicalResult (*convert)(NodeContext &);
  unsigned minInputs = 1;
  unsigned maxInputs = 1;
  /// The first version of the operator's domain that contains the operator.
  int64_t since = 1;
  /// The last version of the operator's domain that is supported, if the operator may change in later versions.
  int64_t until = INT64_MAX;
  /// How the operator treats integers of 4 and 8 bits.
  SmallUse small = SmallUse::None;
};

/// The value of `maxInputs` of an operator with any number of inputs.
constexpr unsigned variadic = ~0u;

/// The supported operators of one domain, by name.
using OpTable = llvm::StringMap<OpEntry>;

/// The entry of an operator in a domain ("" for the standard operators); null if the operator is not supported.
const OpEntry *findOperator(llvm::StringRef domain, llvm::StringRef opType);

/// Whether the node is a supported operator, in a supported version.
bool isOperator(const Node &node);

/// Emits an error that lists all unsupported operators of the graph, each with nodes that use it.
llvm::LogicalResult checkOperators(mlir::Location loc, const Graph &graph);

/// If the graph contains operators on quantised numbers, calls `checkOperators`. This function is called before tensors
/// are read: a quantised model with unsupported operators may also contain tensors of unsupported types, and an error
/// about these tensors would be less clear.
llvm::LogicalResult checkQuantised(mlir::Location loc, const Graph &graph);

// The files in ops/ define these functions, each of which adds operators to the table of a domain.
void addActivationOps(OpTable &table);
void addAttentionOps(OpTable &table);
void addBinaryOps(OpTable &table);
void addComparisonOps(OpTable &table);
void addConcatOps(OpTable &table);
void addConstantOps(OpTable &table);
void addConvolutionOps(OpTable &table);
void addCumSumOps(OpTable &table);
void addEinsumOps(OpTable &table);
void addFlexAttentionOps(OpTable &table);
void addGatherNDOps(OpTable &table);
void addGatherOps(OpTable &table);
void addIfOps(OpTable &table);
void addLinearAttentionOps(OpTable &table);
void addLogicOps(OpTable &table);
void addMatMulOps(OpTable &table);
void addNormalizationOps(OpTable &table);
void addOrderOps(OpTable &table);
void addPadOps(OpTable &table);
void addQLinearMatMulOp(OpTable &table);
void addQuantizationOps(OpTable &table);
void addReductionOps(OpTable &table);
void addRotaryEmbeddingOps(OpTable &table);
void addScatterOps(OpTable &table);
void addScanOps(OpTable &table);
void addShapeOps(OpTable &table);
void addSliceOps(OpTable &table);
void addSoftmaxOps(OpTable &table);
void addTriangleOps(OpTable &table);
void addUnaryOps(OpTable &table);

// Operators of the domain com.microsoft, which ONNX Runtime's optimizers create when they fuse layers.
void addOnnxRuntimeAttention(OpTable &table);
void addOnnxRuntimeGroupQueryAttention(OpTable &table);
void addOnnxRuntimeLayers(OpTable &table);
void addOnnxRuntimeMatMulNBits(OpTable &table);
void addOnnxRuntimeQuantization(OpTable &table);
void addOnnxRuntimeQuantizedOperators(OpTable &table);
void addOnnxRuntimeRotaryEmbedding(OpTable &table);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPTABLE_H
