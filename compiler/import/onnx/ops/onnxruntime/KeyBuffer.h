//===- KeyBuffer.h - keys of a past that end where each call says -*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_KEYBUFFER_H
#define HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_KEYBUFFER_H

#include "NodeContext.h"

namespace heddle::onnx {

/// [batch, heads, keys, size]: of each batch entry, what `past` [batch, heads, .., size] (no longer than that) has before
/// position `before` [batch], the positions of `now` [batch, positions, heads, size] from there on, and then zeros.
mlir::Value appendAt(Emitter &b, mlir::Value past, mlir::Value now, mlir::Value before, const Dim &keys);

/// Zeros behind the elements along `axis`, up to `extent` of them.
mlir::Value padTo(Emitter &b, mlir::Value value, int64_t axis, const Dim &extent);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_KEYBUFFER_H
