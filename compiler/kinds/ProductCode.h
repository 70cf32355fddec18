//===- ProductCode.h - vector code for the kinds of products ----*- C++ -*-===//

#ifndef HEDDLE_KINDS_PRODUCTCODE_H
#define HEDDLE_KINDS_PRODUCTCODE_H

#include "Heddle.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "ProductCode.h.inc"

namespace heddle {

// Declares a function such as registerDotBytesCode for each file in this folder that is named after a kind in
// ProductKinds.td or TilePlaces.td. The function attaches ProductCode, MatrixCode or FragmentCode to the kind's
// attribute.
#define HEDDLE_KIND(Stem) void register##Stem##Code(mlir::MLIRContext *context);
#include "Kinds.inc"
#undef HEDDLE_KIND

} // namespace heddle

#endif // HEDDLE_KINDS_PRODUCTCODE_H
