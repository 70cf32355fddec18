//===- KeyBuffer.h - buffers of keys and values -----------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_KEYBUFFER_H
#define HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_KEYBUFFER_H

#include "NodeContext.h"

namespace heddle::onnx {

/// Returns keys or values [batch, heads, keys, size]. Batch entry b consists of the first before[b] positions of
/// `past`, followed by the positions of `now` and by zeros. `past` is [batch, heads, P, size] with P <= `keys`, `now`
/// is [batch, positions, heads, size], and `before` is [batch].
mlir::Value appendAt(Emitter &b, mlir::Value past, mlir::Value now, mlir::Value before, const Dim &keys);

/// Appends zeros to `value` along `axis` until its extent along this axis is `extent`.
mlir::Value padTo(Emitter &b, mlir::Value value, int64_t axis, const Dim &extent);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_KEYBUFFER_H
