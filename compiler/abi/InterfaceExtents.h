//===- InterfaceExtents.h - sizes in the interface of a model ---*- C++ -*-===//

#ifndef HEDDLE_ABI_INTERFACEEXTENTS_H
#define HEDDLE_ABI_INTERFACEEXTENTS_H

#include "ModelInterface.h"

namespace heddle {

class Extent;
class Sizes;

/// Adds what is computed from the sizes of the interface, which have identifiers.
void readDerived(ModelInterface &interface, mlir::ModuleOp module);
/// How often each size is a factor.
std::vector<uint8_t> powersOf(const Extent &extent, const Sizes &sizes);
/// What a number of heddle.range is in a call.
InterfaceBound readBound(int64_t number, bool isLow, const Sizes &sizes, const ModelInterface &interface);
/// Takes apart the extents in which sizes are factors, and calls them by these.
void readExtents(InterfaceTensor &tensor, const Sizes &sizes, const ModelInterface &interface);

} // namespace heddle

#endif // HEDDLE_ABI_INTERFACEEXTENTS_H
