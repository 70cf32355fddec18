//===- StatePlay.cpp - runs the calls of a script -------------------------===//

#include "StateScript.h"

#include "heddle/PrintError.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <deque>
#include <thread>

using namespace mlir;
using namespace heddle;

LogicalResult StateScript::playOne(const heddle_executor *executor, std::vector<Judgement> &judgements) {
  FailureOr<At *> at = chooseSizes();
  if (failed(at))
    return failure();
  Kept &kept = states[below(states.size())];
  session.setSizes((*at)->sizes);
  if (oneIn(4) && failed(copySequence(**at, kept)))
    return failure();
  FailureOr<Call> call = prepare(**at, kept, session, executor);
  if (failed(call))
    return failure();
  if (llvm::Error error = session.run(call->inputs, call->outputs, executor)) {
    printError(std::move(error));
    return failure();
  }
  return judge(*call, judgements);
}

LogicalResult StateScript::playAll(const heddle_executor *executor, std::vector<Judgement> &judgements) {
  std::deque<Call> calls; // adding to a deque does not move its calls, which point to their own bytes
  for (auto [i, kept] : llvm::enumerate(states)) {
    if (i > others.size())
      others.push_back(session.share());
    Session &own = i == 0 ? session : *others[i - 1];
    FailureOr<At *> at = chooseSizes();
    if (failed(at))
      return failure();
    own.setSizes((*at)->sizes);
    number += i > 0;
    FailureOr<Call> call = prepare(**at, kept, own, i == 0 ? executor : nullptr);
    if (failed(call))
      return failure();
    calls.push_back(std::move(*call));
  }
  std::vector<heddle_status> statuses(calls.size());
  auto run = [&](size_t i) {
    Call &call = calls[i];
    statuses[i] = call.session.tryRun(call.inputs, call.outputs, i == 0 ? executor : nullptr);
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < calls.size(); ++i)
    threads.emplace_back(run, i);
  run(0);
  for (std::thread &thread : threads)
    thread.join();
  for (auto [call, status] : llvm::zip_equal(calls, statuses)) {
    if (status != HEDDLE_OK) {
      llvm::errs() << source << ": error: one of several concurrent calls failed: " << heddle_status_text(status)
                   << "\n";
      return failure();
    }
    if (failed(judge(call, judgements)))
      return failure();
  }
  return success();
}

LogicalResult StateScript::judgeHistory() {
  constexpr double bound = 1e-9;
  if (!rowInputs)
    return success();
  size_t minimum = size_t(ranges[rowInputs.sizeNumber()].low);
  for (Kept &kept : states) {
    size_t sequence = below(kept.filled.size());
    if (size_t(kept.filled[sequence]) < minimum)
      continue;
    FailureOr<double> distance = kept.history.compareToOneCall(model, ranges, base, sequence, minimum, kept.wide);
    if (failed(distance))
      return failure();
    ++likeOneCall;
    farthest = std::max(farthest, *distance);
    if (*distance <= bound)
      continue;
    llvm::errs() << source << ": error: script " << seed << ": for sequence " << sequence
                 << ", the interpreter's results of several calls differ by " << llvm::format("%.3g", *distance)
                 << " from those of one call that gets all " << kept.filled[sequence]
                 << " rows and no past, in f64; expected at most 1e-9\n";
    return failure();
  }
  return success();
}

LogicalResult StateScript::play(unsigned calls, const heddle_executor *executor, std::vector<Judgement> &judgements) {
  if (failed(begin()))
    return failure();
  for (number = 1; number <= calls; ++number)
    if (failed(number < calls && oneIn(4) ? playAll(executor, judgements) : playOne(executor, judgements)))
      return failure();
  return judgeHistory();
}
