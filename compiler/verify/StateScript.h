//===- StateScript.h - a script of calls on states --------------*- C++ -*-===//
//
// Code of a model with states is judged by calls one after the other: chunks of any length, rewinds, sequences of
// different lengths, copies, several states in turns and at once on two threads. The interpreter plays the same, with
// states of its own in f64 and in f32. States lie between pages that nobody may touch. Before a call, rows that are not
// filled are NaN; after it, all bytes but new rows and how much is filled are what they were.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_VERIFY_STATESCRIPT_H
#define HEDDLE_VERIFY_STATESCRIPT_H

#include "StateHistory.h"

#include "heddle/Judge.h"
#include "heddle/StateMemory.h"

#include "States.h"

#include <map>
#include <random>

namespace heddle {

class StateScript {
public:
  /// All that it does follows from the seed. The model, of these ranges, is what the session's code was made from.
  StateScript(const Model &model, llvm::ArrayRef<SizeRange> ranges, Session &session, llvm::StringRef source,
              uint64_t seed);

  /// Plays it with so many calls, and judges each. Errors are printed.
  mlir::LogicalResult play(unsigned calls, const heddle_executor *executor, std::vector<Judgement> &judgements);

  /// How many sequences of the script were like one call without a past, in f64, and the largest difference.
  unsigned likeOneCall = 0;
  double farthest = 0;

private:
  /// What is kept in a state, by the library and by the interpreter.
  struct Kept {
    std::unique_ptr<StateMemory> memory;
    std::vector<Tensor> wide, narrow; // in the order of States::all
    std::vector<int64_t> filled;
    StateHistory history;
  };
  /// The model at the sizes of a call.
  struct At {
    Point point;
    SizeValues sizes; // as the library takes them
    States states;
    WeightSource weights;
  };

  /// One call: all that it takes.
  struct Call {
    const At &at;
    Kept &kept;
    Session &session; // of its sizes
    unsigned number;
    std::vector<int64_t> past;
    llvm::SmallVector<Tensor> tensors; // of all arguments but states
    std::vector<std::vector<char>> inputBytes, outputBytes;
    std::vector<const void *> inputs;
    std::vector<void *> outputs;
    std::vector<char> before; // the state
  };

  /// A word of a state's memory that is not what a call takes.
  struct WrongWord {
    uint64_t byte;
    uint64_t value;
    heddle_status status; // that a call refuses it with
  };

  uint64_t below(uint64_t count) { return count ? random() % count : 0; }
  bool oneIn(uint64_t count) { return below(count) == 0; }
  mlir::FailureOr<At *> at(const SizeValues &values);
  /// Whether a call of these sizes has room in an empty state.
  bool hasRoom(const SizeValues &values) const;
  /// Of the states: so that some call has room.
  void chooseBase();
  /// Sizes of a call that has room: those that states have stay.
  mlir::FailureOr<At *> chooseSizes();
  mlir::LogicalResult begin();
  mlir::LogicalResult addState(const At &at);
  std::vector<int64_t> choosePast(const At &at, const Kept &kept);
  void spoil(Call &call);
  mlir::LogicalResult copySequence(const At &at, Kept &kept);
  /// What a call refuses of each word that it looks at: whose state it is, for which sizes, and how much is filled.
  std::vector<WrongWord> wrongHeaders(const Call &call) const;
  /// Refusals change nothing: a header that is wrong, memory that is too small, a past that is not there, a full state.
  mlir::LogicalResult tryWrong(Call &call);
  /// Chooses a call.
  mlir::FailureOr<Call> prepare(const At &at, Kept &kept, Session &session, const heddle_executor *executor);
  mlir::LogicalResult judge(Call &call, std::vector<Judgement> &judgements);
  mlir::LogicalResult playOne(const heddle_executor *executor, std::vector<Judgement> &judgements);
  /// A sequence of each state against one call that has no past.
  mlir::LogicalResult judgeHistory();
  /// A call on each state, at the same time.
  mlir::LogicalResult playAll(const heddle_executor *executor, std::vector<Judgement> &judgements);

  const Model &model;
  llvm::ArrayRef<SizeRange> ranges;
  Session &session;
  std::string source;
  uint64_t seed;
  std::mt19937_64 random;
  RowInputs rowInputs;
  std::map<SizeValues, std::unique_ptr<At>> known;
  SizeValues base;              // of the states; others change
  std::vector<bool> isOfStates; // by size
  std::vector<Kept> states;
  std::vector<std::unique_ptr<Session>> others; // of states behind the first, where calls are made at once
  unsigned number = 0;                          // of the call
  /// Of each output and state the largest error that the interpreter has made in f32: states hand on errors of earlier
  /// calls, of which one call may by chance show few.
  std::map<std::string, double> errors;
};

} // namespace heddle

#endif // HEDDLE_VERIFY_STATESCRIPT_H
