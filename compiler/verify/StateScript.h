//===- StateScript.h - a script of calls on states --------------*- C++ -*-===//
//
// A script is a sequence of calls that verifies the code of a model with
// states: chunks of different lengths, rewinds, sequences of different lengths,
// copies of sequences, and two states that are used in turn or concurrently by
// two threads. The interpreter runs the same calls with its own states, in f64
// and in f32. The memory of a state lies between inaccessible memory pages,
// unless it is on a device. Before a call, all rows that are not filled are set
// to NaN. After the call, all bytes except new rows, states that each call
// replaces, and the numbers of filled rows must be unchanged.
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

/// A random sequence of calls that verifies a model with states.
class StateScript {
public:
  /// The seed determines all calls. The code of the session was compiled from `model`, whose sizes lie in `ranges`.
  /// `source` names the library in messages.
  StateScript(const Model &model, llvm::ArrayRef<SizeRange> ranges, Session &session, llvm::StringRef source,
              uint64_t seed);

  /// Runs a script of `calls` calls and verifies each call. Prints errors.
  mlir::LogicalResult play(unsigned calls, const heddle_executor *executor, std::vector<Judgement> &judgements);

  /// `likeOneCall` is the number of sequences of a batch for which the interpreter's results of several calls were
  /// compared, in f64, with those of one call that gets all rows of the sequence and no past. `farthest` is the largest
  /// difference that was found.
  unsigned likeOneCall = 0;
  double farthest = 0;

private:
  /// A state: the library's memory and the tensors of the interpreter.
  struct Kept {
    std::unique_ptr<StateMemory> memory;
    std::vector<Tensor> wide, narrow; // the interpreter's states in f64 and in f32, in the order of States::all
    std::vector<int64_t> filled;      // the number of filled rows of each sequence
    StateHistory history;             // the input rows from which the state was computed
  };
  /// The model at the sizes of a call.
  struct At {
    Point point;
    SizeValues sizes; // in the order of the library's sizes
    States states;
    WeightSource weights;
  };

  /// A call with its arguments.
  struct Call {
    const At &at;
    Kept &kept;
    Session &session; // the session, set to the sizes of this call
    unsigned number;  // the number of the call in the script, from 1
    std::vector<int64_t> past;         // the past of each sequence
    llvm::SmallVector<Tensor> tensors; // all arguments; those of states are not used
    std::vector<std::vector<char>> inputBytes, outputBytes;
    std::vector<const void *> inputs; // pointers to inputBytes or to the memory of the states; null for an absent input
    std::vector<void *> outputs;      // pointers into outputBytes
    std::vector<char> before; // the state's bytes before the call
  };

  /// A wrong 64-bit value in the header of a state. A call with such a header must be refused.
  struct WrongWord {
    uint64_t byte; // the offset of the value in the state's memory
    uint64_t value;
    heddle_status status; // the status that the call must return
  };

  /// Returns a random number from 0 to `count` - 1.
  uint64_t below(uint64_t count) { return count ? random() % count : 0; }
  /// Returns true with a probability of 1/`count`.
  bool oneIn(uint64_t count) { return below(count) == 0; }
  /// Imports the model at these sizes, or returns the result of an earlier import.
  mlir::FailureOr<At *> at(const SizeValues &values);
  /// Returns whether the rows of a call with these sizes fit into an empty state.
  bool hasRoom(const SizeValues &values) const;
  /// Chooses the sizes of the states at random. Repeats this, a limited number of times, until the smallest call fits.
  void chooseBase();
  /// Chooses the sizes of a call that fits into the states. The sizes of the states do not change.
  mlir::FailureOr<At *> chooseSizes();
  /// Creates the states.
  mlir::LogicalResult begin();
  /// Creates and initialises one state.
  mlir::LogicalResult addState(const At &at);
  /// Chooses the past of each sequence of a state for the next call.
  std::vector<int64_t> choosePast(const At &at, const Kept &kept);
  /// Sets all rows after the past of the call to NaN, or integers to -1, in the states of the library and of the
  /// interpreter. In a state that each call replaces as a whole, sets each sequence that starts again (its past is 0)
  /// to NaN in the library, which must clear the sequence, and to 0 in the interpreter.
  void spoil(Call &call);
  /// Copies one sequence of a state over another, in the library's memory and in the interpreter's tensors.
  mlir::LogicalResult copySequence(const At &at, Kept &kept);
  /// Returns wrong values for all parts of the header that a call checks: the magic number, the model's fingerprint,
  /// the number of bytes, the sizes, the word that describes the part of the state in a device's memory, the numbers of
  /// filled rows, and the word that marks a state as incomplete.
  std::vector<WrongWord> wrongHeaders(const Call &call) const;
  /// Makes calls that must be refused and must not change the state: with a wrong header, memory that is too small, a
  /// past larger than the number of filled rows, or too many new rows for the capacity.
  mlir::LogicalResult tryWrong(Call &call);
  /// Chooses the arguments of a call, and sets the rows after its past to NaN. Sometimes first makes calls that must be
  /// refused.
  mlir::FailureOr<Call> prepare(const At &at, Kept &kept, Session &session, const heddle_executor *executor);
  /// Interprets a call that the library has made, and compares outputs and states.
  mlir::LogicalResult judge(Call &call, std::vector<Judgement> &judgements);
  /// Makes a call with one of the states and verifies it.
  mlir::LogicalResult playOne(const heddle_executor *executor, std::vector<Judgement> &judgements);
  /// For one sequence of each state, compares the interpreter's results of the calls so far with those of one call that
  /// gets all rows of the sequence and no past.
  mlir::LogicalResult judgeHistory();
  /// Makes one call with each state, all of them concurrently, and verifies these calls.
  mlir::LogicalResult playAll(const heddle_executor *executor, std::vector<Judgement> &judgements);

  const Model &model;
  llvm::ArrayRef<SizeRange> ranges;
  Session &session;
  std::string source;
  uint64_t seed;
  std::mt19937_64 random;
  RowInputs rowInputs; // for each input, the dimension whose extent is the number of new rows
  std::map<SizeValues, std::unique_ptr<At>> known; // the models that at() has made
  SizeValues base;              // the sizes of states; other sizes change from call to call
  std::vector<bool> isOfStates; // for each size, whether states depend on it
  std::vector<Kept> states;
  std::vector<std::unique_ptr<Session>> others; // the sessions of the second and later states in concurrent calls
  unsigned number = 0;                          // the number of the current call, from 1
  /// The largest error of the interpreter in f32 so far, for each output and state. The largest error is used because
  /// states accumulate the errors of earlier calls, and a single call may by chance show only a small part of them.
  std::map<std::string, double> errors;
};

} // namespace heddle

#endif // HEDDLE_VERIFY_STATESCRIPT_H
