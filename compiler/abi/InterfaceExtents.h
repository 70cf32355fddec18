//===- InterfaceExtents.h - extents as products of sizes --------*- C++ -*-===//

#ifndef HEDDLE_ABI_INTERFACEEXTENTS_H
#define HEDDLE_ABI_INTERFACEEXTENTS_H

#include "ModelInterface.h"

namespace heddle {

class Extent;
class Sizes;

/// Adds the derived sizes of the module to the interface, whose sizes must have identifiers already.
void readDerived(ModelInterface &interface, mlir::ModuleOp module);
/// How often each size is a factor of the extent.
std::vector<uint8_t> powersOf(const Extent &extent, const Sizes &sizes);
/// Converts an end of heddle.range to a bound in terms of the call's sizes.
InterfaceBound readBound(int64_t number, bool isLow, const Sizes &sizes, const ModelInterface &interface);
/// Splits the extents that depend on sizes into a constant and powers of sizes, and names them by the product.
void readExtents(InterfaceTensor &tensor, const Sizes &sizes, const ModelInterface &interface);

} // namespace heddle

#endif // HEDDLE_ABI_INTERFACEEXTENTS_H
