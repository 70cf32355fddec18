//===- OpTable.cpp - which operators are imported -------------------------===//

#include "OpTable.h"

using namespace heddle::onnx;

const OpTable &heddle::onnx::standardOps() {
  static const OpTable table = [] {
    OpTable table;
    for (auto add : {addActivationOps, addBinaryOps, addComparisonOps, addConcatOps, addConstantOps, addGatherOps,
                     addLogicOps, addMatMulOps, addNormalizationOps, addPadOps, addReductionOps, addScatterOps,
                     addShapeOps, addSliceOps, addSoftmaxOps, addTriangleOps, addUnaryOps})
      add(table);
    return table;
  }();
  return table;
}
