//===- StateRoom.h - new rows that a state has room for ---------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_STATES_STATEROOM_H
#define HEDDLE_IMPORT_STATES_STATEROOM_H

#include "heddle/Import.h"

#include "mlir/IR/Diagnostics.h"

namespace heddle {

/// Refuses `rows` new tokens, whose dimension has this name (none: ""), where a state has room for `capacity` ones.
mlir::InFlightDiagnostic refuseRows(mlir::Location loc, llvm::StringRef name, const llvm::Twine &capacity,
                                    const llvm::Twine &rows, const ImportOptions &options);

/// Refuses a model whose largest call has more new rows than there is room for in its largest state.
mlir::LogicalResult checkRoom(mlir::Location loc, mlir::ModuleOp module, const ImportOptions &options);

} // namespace heddle

#endif // HEDDLE_IMPORT_STATES_STATEROOM_H
