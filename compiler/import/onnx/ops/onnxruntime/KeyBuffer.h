//===- KeyBuffer.h - buffers of keys and values -----------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_KEYBUFFER_H
#define HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_KEYBUFFER_H

#include "NodeContext.h"

namespace heddle::onnx {

/// Returns keys or values [batch, heads, keys, size]. Each batch entry b consists of the first before[b] positions of
/// `past`, then the positions of `now`, then zeros. `past` is [batch, heads, at most keys, size], `now` is [batch,
/// positions, heads, size], and `before` is [batch].
mlir::Value appendAt(Emitter &b, mlir::Value past, mlir::Value now, mlir::Value before, const Dim &keys);

/// Appends zeros to `value` along `axis`, so that it gets this extent.
mlir::Value padTo(Emitter &b, mlir::Value value, int64_t axis, const Dim &extent);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_KEYBUFFER_H
