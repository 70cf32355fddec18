//===- StateRoom.h - checks of a state's capacity ---------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_STATES_STATEROOM_H
#define HEDDLE_IMPORT_STATES_STATEROOM_H

#include "../sizes/ImportTask.h"

#include "mlir/IR/Diagnostics.h"

namespace heddle {

/// Emits the error that the capacity of a state is too small for `rows` new tokens. `name` is the name of the dimension
/// of the new tokens, or "" if no --dim sets their number or the dimension is ambiguous. If `name` is not "", the error
/// counts as wrong usage.
mlir::InFlightDiagnostic refuseRows(mlir::Location loc, llvm::StringRef name, const llvm::Twine &capacity,
                                    const llvm::Twine &rows, const ImportTask &options);

/// Emits an error if a call with the largest sizes appends more rows to a state than the state's largest capacity.
mlir::LogicalResult checkRoom(mlir::Location loc, mlir::ModuleOp module, const ImportTask &options);

} // namespace heddle

#endif // HEDDLE_IMPORT_STATES_STATEROOM_H
