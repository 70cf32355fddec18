//===- Recognise.cpp - recognises decomposed layers -----------------------===//
//
// Exporters decompose layers into groups of small operations. The pass heddle-recognise replaces such groups by heddle
// operations. The patterns are in compiler/recognise. With the option `remarks`, the pass reports operations that
// resemble a part of a layer but were not replaced.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"
#include "heddle/Recognise.h"

#include "Heddle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_RECOGNISE
#include "heddle/Passes.h.inc"
} // namespace heddle

namespace {
struct Recognise : heddle::impl::RecogniseBase<Recognise> {
  using RecogniseBase::RecogniseBase;

  void runOnOperation() override {
    heddle::RecognitionReport report;
    heddle::recognise(getOperation(), remarks ? &report : nullptr);
    for (const auto &entry : report.general)
      emitRemark(entry.loc) << entry.op << " is not recognised as a layer: " << entry.reason;
  }
};
} // namespace
