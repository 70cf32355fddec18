//===- Edits.h - changes that make a module smaller -------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_EDITS_H
#define HEDDLE_TESTS_RANDOM_EDITS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

/// What an edit came to. End: there are no further ones of its family.
enum class Edited { Done, Nothing, End };

/// Makes edit `number` of a family in a function that may be spoilt by it.
using EditFamily = Edited (*)(mlir::func::FuncOp main, unsigned number);

/// All families, those that take most away first.
llvm::ArrayRef<EditFamily> editFamilies();

/// A smaller number in the place of one extent.
Edited shrinkExtent(mlir::func::FuncOp main, unsigned number);
/// An operation of the dialect without one of its attributes or operands.
Edited dropKnob(mlir::func::FuncOp main, unsigned number);

#endif // HEDDLE_TESTS_RANDOM_EDITS_H
