//===- InputRoles.h - how operations use the inputs of a model --*- C++ -*-===//

#ifndef HEDDLE_VERIFY_INPUTROLES_H
#define HEDDLE_VERIFY_INPUTROLES_H

#include "Heddle.h"

namespace heddle {

/// The role of an input. Other: floats without a special role; Positions: integers that no case changes.
enum class InputRole { Other, Query, Key, Value, Bias, Mask, Lengths, Normed, Scores, Weight, Positions };

/// Returns the role of an argument of a model's function. An operation that uses the argument, possibly after reshapes
/// and transposes, determines it. If no operation does, an integer argument is a Mask if it is boolean or its name ends
/// with "mask", and Positions otherwise. If an attention operation uses the argument, `attention` becomes this
/// operation.
InputRole roleOfInput(mlir::BlockArgument argument, AttentionOp &attention);

} // namespace heddle

#endif // HEDDLE_VERIFY_INPUTROLES_H
