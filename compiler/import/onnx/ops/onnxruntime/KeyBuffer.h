//===- KeyBuffer.h - a buffer of keys ---------------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_KEYBUFFER_H
#define HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_KEYBUFFER_H

#include "NodeContext.h"

namespace heddle::onnx {

/// Returns keys [batch, heads, keys, size]: for each batch entry the first `before` [batch] positions of `past` [batch,
/// heads, .., size], which has at most `keys` positions, then the positions of `now` [batch, positions, heads, size],
/// then zeros.
mlir::Value appendAt(Emitter &b, mlir::Value past, mlir::Value now, mlir::Value before, const Dim &keys);

/// Appends zeros along `axis` up to the extent.
mlir::Value padTo(Emitter &b, mlir::Value value, int64_t axis, const Dim &extent);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_KEYBUFFER_H
