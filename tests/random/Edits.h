//===- Edits.h - edits that reduce a module ---------------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_EDITS_H
#define HEDDLE_TESTS_RANDOM_EDITS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

/// The result of an edit. `Done`: the function was changed. `Nothing`: the edit did not apply. `End`: the family has no
/// further edits.
enum class Edited { Done, Nothing, End };

/// A family of edits that make a function smaller or simpler, numbered from 0. Applies edit `number` to `main`, which
/// may be invalid afterwards; the caller must verify it.
using EditFamily = Edited (*)(mlir::func::FuncOp main, unsigned number);

/// Returns all families. Families whose edits remove more come first.
llvm::ArrayRef<EditFamily> editFamilies();

/// Reduces one extent, and in some edits also all its multiples.
Edited shrinkExtent(mlir::func::FuncOp main, unsigned number);
/// Removes an attribute or an operand from an operation of the dialect.
Edited dropKnob(mlir::func::FuncOp main, unsigned number);

#endif // HEDDLE_TESTS_RANDOM_EDITS_H
