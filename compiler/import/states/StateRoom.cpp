//===- StateRoom.cpp - checks of a state's capacity -----------------------===//

#include "StateRoom.h"

#include "Heddle.h"
#include "Notes.h"
#include "Sizes.h"
#include "States.h"

using namespace mlir;
using namespace heddle;

InFlightDiagnostic heddle::refuseRows(Location loc, StringRef name, const Twine &capacity, const Twine &rows,
                                      const ImportTask &options) {
  if (!name.empty()) // otherwise the model itself fixes the number of new rows
    options.setWrongUsage();
  return emitError(loc) << (name.empty() ? "new rows" : name) << ": expected at most " << capacity
                        << ", the capacity of the state, found " << rows;
}

/// Returns the name of the dimension with this extent in the inputs. Ignores the dimension that counts sequences, which
/// is the first dimension of `state`. Returns "" if no dimension or several dimensions have this extent.
static StringRef nameOfExtent(func::FuncOp main, BlockArgument state, int64_t extent) {
  std::optional<Strings> ofState = notes::dims.get(main, state.getArgNumber());
  StringRef sequences = ofState && !ofState->empty() ? ofState->front() : "", name;
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes())) {
    std::optional<Strings> dims = notes::dims.get(main, unsigned(i));
    auto tensor = dyn_cast<RankedTensorType>(type);
    for (size_t dim = 0; dims && tensor && dim < dims->size(); ++dim) {
      StringRef found = (*dims)[dim];
      if (found.empty() || found == sequences || tensor.getDimSize(unsigned(dim)) != extent)
        continue;
      if (!name.empty() && name != found)
        return "";
      name = found;
    }
  }
  return name;
}

LogicalResult heddle::checkRoom(Location loc, ModuleOp module, const ImportTask &options) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  Sizes sizes(module);
  for (AppendOp append : main.getOps<AppendOp>()) {
    BlockArgument state = updatedArgument(append.getState());
    if (!state || !notes::state.has(main, state.getArgNumber()))
      continue;
    int64_t rows = append.getInput().getType().getDimSize(2), capacity = append.getState().getType().getDimSize(2);
    if (sizes.of(rows).high() > sizes.of(capacity).high())
      return refuseRows(loc, nameOfExtent(main, state, rows), Twine(sizes.of(capacity).high()),
                        Twine(sizes.of(rows).high()), options);
  }
  return success();
}
