//===- EditKnobs.cpp - edits that remove knobs ----------------------------===//

#include "Edits.h"

using namespace mlir;

/// The attribute with the number of operands in each optional or variadic group.
static constexpr llvm::StringLiteral segments = "operandSegmentSizes";

/// Erases operand `number` and updates the size of the group to which it belongs.
static void eraseOperand(Operation *op, unsigned number) {
  if (auto sizes = op->getAttrOfType<DenseI32ArrayAttr>(segments)) {
    SmallVector<int32_t> counts(sizes.asArrayRef());
    unsigned end = 0;
    for (int32_t &count : counts)
      if (number < (end += count)) {
        --count;
        break;
      }
    op->setAttr(segments, DenseI32ArrayAttr::get(op->getContext(), counts));
  }
  op->eraseOperand(number);
}

Edited dropKnob(func::FuncOp main, unsigned number) {
  for (Operation &op : main.front()) {
    if (op.getName().getDialectNamespace() != "heddle")
      continue;
    for (unsigned i = op.getNumOperands(); i-- > 0;)
      if (number-- == 0) {
        eraseOperand(&op, i);
        return Edited::Done;
      }
    for (NamedAttribute attribute : op.getAttrs()) {
      if (attribute.getName() == segments || number-- > 0)
        continue;
      op.removeAttr(attribute.getName());
      op.getName().populateDefaultProperties(op.getPropertiesStorage());
      return Edited::Done;
    }
  }
  return Edited::End;
}
