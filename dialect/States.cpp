//===- States.cpp - state that is kept between calls ----------------------===//

#include "States.h"

#include "Heddle.h"
#include "Notes.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace heddle;

bool heddle::hasStates(FunctionOpInterface main) {
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (notes::state.has(main, i))
      return true;
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    if (notes::state.getOfResult(main, i))
      return true;
  return false;
}

SmallVector<StateUpdate, 2> heddle::getStateUpdates(Operation *op) {
  SmallVector<StateUpdate, 2> updates;
  if (auto append = dyn_cast_or_null<AppendOp>(op)) {
    updates.push_back({&append.getStateMutable(), append.getResult()});
    if (append.getScales())
      updates.push_back({&*append.getScalesMutable().begin(), append.getLastScales()});
  }
  if (auto attention = dyn_cast_or_null<RecurrentAttentionOp>(op); attention && attention.getState())
    updates.push_back({&*attention.getStateMutable().begin(), attention.getLastState()});
  return updates;
}

BlockArgument heddle::updatedArgument(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    SmallVector<StateUpdate, 2> updates = getStateUpdates(op);
    const auto *update = llvm::find_if(updates, [&](const StateUpdate &one) { return one.after == value; });
    if (update == updates.end())
      return {};
    value = update->before->get();
  }
  return cast<BlockArgument>(value);
}

namespace {
/// Implements readStates: collects the states of @main and verifies conditions S1 to S3 (States.h).
class StateReader {
public:
  explicit StateReader(func::FuncOp main) : main(main) {}
  FailureOr<States> read();

private:
  LogicalResult readPairs();
  State *stateOf(Value value);
  LogicalResult readRows(AppendOp append);
  /// `known` is a number that all states share, 0 if it is still unknown; `found` is this number for one state. Sets an
  /// unknown number to `found`. Emits an error at `op` if the two numbers differ; `what` names the counted things.
  LogicalResult agree(Operation *op, int64_t &known, int64_t found, StringRef what);

  func::FuncOp main;
  States states;
};
} // namespace

/// Collects the states. Verifies that each name belongs to one argument and one result, both of the same type (S1), and
/// that at most one argument, a tensor of i64 of rank 1, is annotated with heddle.state_past (S3).
LogicalResult StateReader::readPairs() {
  llvm::StringMap<unsigned> results;
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    if (std::optional<StringRef> name = notes::state.getOfResult(main, i))
      if (!results.try_emplace(*name, i).second)
        return main.emitError() << "two results are state \"" << *name << "\" (S1)";
  llvm::StringSet<> seen;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    if (notes::statePast.has(main, i)) {
      auto type = dyn_cast<RankedTensorType>(main.getArgumentTypes()[i]);
      if (states.past)
        return main.emitError() << "arguments " << *states.past << " and " << i
                                << " are both annotated with heddle.state_past (S3)";
      if (!type || type.getRank() != 1 || !type.getElementType().isInteger(64))
        return main.emitError() << "heddle.state_past: expected a tensor of rank 1 with an i64 for each sequence, found "
                                << main.getArgumentTypes()[i] << " (S3)";
      states.past = i;
    }
    std::optional<StringRef> name = notes::state.get(main, i);
    if (!name)
      continue;
    auto found = results.find(*name);
    if (!seen.insert(*name).second)
      return main.emitError() << "two arguments are state \"" << *name << "\" (S1)";
    if (found == results.end())
      return main.emitError() << "state \"" << *name << "\" is argument " << i << ", but no result belongs to it (S1)";
    if (main.getArgumentTypes()[i] != main.getResultTypes()[found->second])
      return main.emitError() << "state \"" << *name << "\" is argument " << i << " of type "
                              << main.getArgumentTypes()[i] << " and result " << found->second << " of type "
                              << main.getResultTypes()[found->second] << " (S1)";
    Value after = main.front().getTerminator()->getOperand(found->second);
    bool isUpdated = updatedArgument(after) == main.getArgument(i);
    states.all.push_back({*name, i, found->second, !isUpdated || !after.getDefiningOp<AppendOp>()});
    results.erase(found);
  }
  if (!results.empty())
    return main.emitError() << "state \"" << results.begin()->first() << "\" is result " << results.begin()->second
                            << ", but no argument belongs to it (S1)";
  return success();
}

LogicalResult StateReader::agree(Operation *op, int64_t &known, int64_t found, StringRef what) {
  if (known == 0)
    known = found;
  return known == found
             ? success()
             : op->emitError() << "a state has " << found << " " << what << ", another state has " << known << " (S2)";
}

/// Returns the state from whose argument a chain of updates leads to `value`; null if there is none or `value` is null.
State *StateReader::stateOf(Value value) {
  BlockArgument argument = value ? updatedArgument(value) : BlockArgument();
  auto *found =
      llvm::find_if(states.all, [&](const State &state) { return argument && state.argument == argument.getArgNumber(); });
  return found == states.all.end() ? nullptr : found;
}

/// Verifies that a heddle.append writes new rows of a state, and their scales, at the position that the argument with
/// the annotation heddle.state_past contains (S3), because the library uses no other position. Also records the state
/// of the scales, the capacity and the number of new rows. An append is verified only if its rows or its scales are a
/// state, or if its position is this argument.
LogicalResult StateReader::readRows(AppendOp append) {
  State *state = stateOf(append.getState()), *scales = stateOf(append.getScales());
  auto past = dyn_cast<BlockArgument>(append.getPast());
  bool isPast = past && past.getArgNumber() == states.past;
  if (!state && !scales && !isPast)
    return success();
  bool isState = state && (scales || !append.getScales());
  if (!isState || !isPast)
    return append.emitOpError()
           << "expected new rows of a state, at the position that the argument with heddle.state_past contains; found "
           << (isState  ? "rows of a state at another position"
               : state  ? "rows of a state whose scales are not a state"
               : scales ? "scales of a state with rows that are not a state"
                        : "rows of a tensor that is not a state")
           << " (S3)";
  if (scales)
    state->scales = scales - states.all.begin();
  RankedTensorType type = append.getState().getType();
  return success(succeeded(agree(append, states.sizes.capacity, type.getDimSize(2), "rows of capacity")) &&
                 succeeded(agree(append, states.sizes.rows, append.getInput().getType().getDimSize(2), "new rows")));
}

FailureOr<States> StateReader::read() {
  if (failed(readPairs()))
    return failure();
  if (states.empty()) {
    if (states.past)
      return main.emitError() << "argument " << *states.past
                              << " is annotated with heddle.state_past, but no argument is a state (S3)";
    return states;
  }
  for (AppendOp append : main.getOps<AppendOp>())
    if (failed(readRows(append)))
      return failure();
  for (const State &state : states.all) {
    auto type = dyn_cast<RankedTensorType>(main.getArgumentTypes()[state.argument]);
    if (!type || type.getRank() == 0 || (!isa<FloatType>(type.getElementType()) && !state.scales))
      return main.emitError() << "state \"" << state.name
                              << "\": expected a tensor of floats, or of integers with scales, whose dimension 0 is "
                                 "the number of sequences, found "
                              << main.getArgumentTypes()[state.argument] << " (S2)";
    if (failed(agree(main, states.sizes.batch, type.getDimSize(0), "sequences")))
      return failure();
  }
  if (states.past &&
      failed(agree(main, states.sizes.batch,
                   cast<RankedTensorType>(main.getArgumentTypes()[*states.past]).getDimSize(0), "sequences")))
    return failure();
  // No heddle.append has determined the number of new rows: all states are replaced as a whole.
  if (states.sizes.rows == 0)
    for (RecurrentAttentionOp attention : main.getOps<RecurrentAttentionOp>())
      if (failed(agree(attention, states.sizes.rows, attention.getKey().getType().getDimSize(1), "new rows")))
        return failure();
  states.sizes.rows = std::max<int64_t>(states.sizes.rows, 1);
  return states;
}

FailureOr<States> heddle::readStates(func::FuncOp main) { return StateReader(main).read(); }
