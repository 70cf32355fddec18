//===- OnnxRuntimeOps.h - operators of domain com.microsoft -----*- C++ -*-===//
//
// ONNX Runtime's optimizers put layers together under names of their own.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_ONNXRUNTIMEOPS_H
#define HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_ONNXRUNTIMEOPS_H

#include "OpTable.h"

namespace heddle::onnx {

void addOnnxRuntimeAttention(OpTable &table);
void addOnnxRuntimeGroupQueryAttention(OpTable &table);
void addOnnxRuntimeLayers(OpTable &table);
void addOnnxRuntimeRotaryEmbedding(OpTable &table);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_ONNXRUNTIMEOPS_H
