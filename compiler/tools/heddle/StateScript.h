//===- StateScript.h - a script of calls on states --------------*- C++ -*-===//
//
// Code of a model with states is judged by calls one after the other: chunks of any length, rewinds, sequences of
// different lengths, copies, several states in turns. The interpreter plays the same, with states of its own in f64 and
// in f32. Before a call, rows that are not filled are NaN; after it, all bytes but new rows and how much is filled are
// what they were.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_STATESCRIPT_H
#define HEDDLE_TOOLS_STATESCRIPT_H

#include "Judge.h"
#include "StateMemory.h"

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

private:
  /// What is kept in a state, by the library and by the interpreter.
  struct Kept {
    std::unique_ptr<StateMemory> memory;
    std::vector<Tensor> wide, narrow; // in the order of States::all
    std::vector<int64_t> filled;
  };
  /// The model at the sizes of a call.
  struct At {
    Point point;
    SizeValues sizes; // as the library takes them
    States states;
    WeightSource weights;
  };

  uint64_t below(uint64_t count) { return count ? random() % count : 0; }
  bool oneIn(uint64_t count) { return below(count) == 0; }
  mlir::FailureOr<At *> at(const SizeValues &values);
  /// Sizes of a call: those that states have stay.
  mlir::FailureOr<At *> chooseSizes();
  mlir::LogicalResult begin();
  mlir::LogicalResult addState(const At &at);
  std::vector<int64_t> choosePast(const At &at, const Kept &kept);
  void spoil(const At &at, Kept &kept, llvm::ArrayRef<int64_t> past);
  mlir::LogicalResult copySequence(const At &at, Kept &kept);
  mlir::LogicalResult tryWrong(const At &at, Kept &kept, llvm::ArrayRef<int64_t> past,
                               llvm::ArrayRef<const void *> inputs, llvm::ArrayRef<void *> outputs);
  mlir::LogicalResult call(const At &at, Kept &kept, const heddle_executor *executor,
                           std::vector<Judgement> &judgements);
  mlir::LogicalResult judge(const At &at, Kept &kept, llvm::ArrayRef<int64_t> past, llvm::ArrayRef<char> before,
                            llvm::ArrayRef<Tensor> outputs, const Reference &reference,
                            std::vector<Judgement> &judgements);

  const Model &model;
  llvm::ArrayRef<SizeRange> ranges;
  Session &session;
  std::string source;
  uint64_t seed;
  std::mt19937_64 random;
  std::map<SizeValues, std::unique_ptr<At>> known;
  SizeValues base;              // of the states; others change
  std::vector<bool> isOfStates; // by size
  std::vector<Kept> states;
  unsigned number = 0; // of the call
};

} // namespace heddle

#endif // HEDDLE_TOOLS_STATESCRIPT_H
