//===- InterfaceExtents.h - extents as products of sizes --------*- C++ -*-===//

#ifndef HEDDLE_ABI_INTERFACEEXTENTS_H
#define HEDDLE_ABI_INTERFACEEXTENTS_H

#include "ModelInterface.h"

namespace heddle {

class Extent;
class Sizes;

/// Adds the derived sizes of the module to the interface. The sizes of the interface must already have identifiers.
void readDerived(ModelInterface &interface, mlir::ModuleOp module);
/// Returns for each size, and then for each derived size, how often it is a factor of the extent.
std::vector<uint8_t> powersOf(const Extent &extent, const Sizes &sizes);
/// Converts `number`, the lower (`isLow`) or upper bound in the annotation heddle.range, to a bound that is computed
/// from the sizes of the call. The number may be a product of a constant and placeholders.
InterfaceBound readBound(int64_t number, bool isLow, const Sizes &sizes, const ModelInterface &interface);
/// Splits each extent that depends on sizes into a constant factor and powers of sizes, and sets the extent's name (in
/// tensor.dims) to the product as text.
void readExtents(InterfaceTensor &tensor, const Sizes &sizes, const ModelInterface &interface);

} // namespace heddle

#endif // HEDDLE_ABI_INTERFACEEXTENTS_H
