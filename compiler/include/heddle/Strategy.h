//===- Strategy.h - finding, choosing and running strategies ----*- C++ -*-===//
//
// A strategy is one .mlir file: how one kind of operation becomes fast. It is a
// module with the attribute
//
//   heddle.strategy = {op = "linear", target = "cpu", features = [], priority = 20}
//
// and the named sequences @match (on the operation; its failure text says why the
// strategy is not eligible), @tile and @vectorize (on the kernel function). `features`
// are those without which its code cannot run. A sequence that is declared and has no body is that of the
// same name which strategies of the target share (compiler/strategies/TARGET.mlir).
//
// Of the eligible strategies the one of highest priority is the default. Sizes to be tuned, and
// what a strategy asks of the target, are transform.tune.knob ops. A knob's value is the first of
// these that there is: (1) what the user chose; (2) the target's limit (TargetFacts.h) of the same
// name, or the option nearest to it; (3) the value of the last entry of the knob's `defaults` all
// of whose limits the target reaches (a limit that the user set as a knob counts instead of the
// target's),
//
//   transform.tune.knob<"panel"> = 16 from options = [16, 32, 48] {defaults = [{vector_bits = 512, value = 48}]}
//
// and (4) what the knob selects. Of vector_bits, vector_registers and workgroup_kib the target's limit is the most that
// there may be, and workgroup_threads that of a knob called threads: (2) to (4) stay below, as far as the options do; where
// the value is above it all the same, the strategy is not eligible.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_STRATEGY_H
#define HEDDLE_STRATEGY_H

#include "heddle/Devices.h"
#include "heddle/TargetFacts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// A strategy file that is part of the program.
struct EmbeddedStrategy {
  llvm::StringRef name, target, op, text;
};
llvm::ArrayRef<EmbeddedStrategy> embeddedStrategies();

/// The module of sequences that strategies of a target share; empty where there are none.
llvm::StringRef sharedSequences(llvm::StringRef target);

/// A default for targets that reach these limits.
struct KnobDefault {
  std::map<std::string, int64_t> limits;
  int64_t value = 0;
};

struct Knob {
  std::string name;
  int64_t selected; // where nothing else says
  std::vector<int64_t> options;
  std::vector<KnobDefault> defaults;
};

/// A value for each knob, or for those that are chosen.
using KnobValues = std::map<std::string, int64_t>;

/// A parsed and checked strategy.
struct Strategy {
  std::string name; // the file's stem, or the path of a file of the user's
  std::string op, target;
  std::vector<std::string> features;
  int64_t priority = 0;
  std::vector<Knob> knobs;
  std::string text;
  std::shared_ptr<mlir::OwningOpRef<mlir::ModuleOp>> module;
};

/// `OP=NAME|FILE[:knob=value,...]` of the command line.
struct StrategyChoice {
  std::string op, strategy;
  KnobValues knobs;
};
/// A choice in two: what stands before the colon that knobs follow, and the knobs, "" where there are none.
std::pair<llvm::StringRef, llvm::StringRef> splitKnobs(llvm::StringRef choice);
/// Fails with the reason in `error`.
mlir::FailureOr<StrategyChoice> parseStrategyChoice(llvm::StringRef text, std::string &error);

/// Why a choice cannot be meant: an operation, a name, a knob or a knob's value that does not exist, or a
/// second choice for one operation. Nothing where it can; a file of the user's is looked at when it is used.
std::optional<std::string> findWrongChoice(mlir::MLIRContext &context, llvm::ArrayRef<std::string> texts);

struct StrategyOptions {
  std::string target = hostDevice.str(); // the folder of the strategies
  TargetFacts facts;
  std::vector<StrategyChoice> choices;
};

/// Every embedded strategy for `op` (all where empty), best first.
mlir::FailureOr<std::vector<Strategy>> listStrategies(mlir::MLIRContext &context, llvm::StringRef op = "");

/// The values of all knobs on a target, where some are chosen.
KnobValues findKnobValues(const Strategy &strategy, const TargetFacts &facts, const KnobValues &chosen = {});

/// Why the strategy cannot be run with the choice's knobs; nothing where it can.
std::optional<std::string> findWrongKnob(const Strategy &strategy, const StrategyChoice &choice);

/// Parses and checks one strategy; errors carry the file's locations.
mlir::FailureOr<Strategy> parseStrategy(mlir::MLIRContext &context, llvm::StringRef name, llvm::StringRef text);
mlir::FailureOr<Strategy> loadStrategyFile(mlir::MLIRContext &context, llvm::StringRef path);

/// What a kernel computes: its root operation and the name strategies have for it
/// ("linear", "softmax", "contraction", "general"). Null where the function is empty.
mlir::Operation *kernelRoot(mlir::func::FuncOp kernel);
std::string kernelOp(mlir::func::FuncOp kernel);

/// Why the strategy cannot lower any kernel on the options' target; nothing where it can lower some.
std::optional<std::string> whyNot(const Strategy &strategy, const StrategyOptions &options);

/// Why the strategy cannot lower the kernel on the options' target with these knobs; nothing where it can.
std::optional<std::string> whyNot(const Strategy &strategy, mlir::func::FuncOp kernel,
                                  const StrategyOptions &options, const KnobValues &chosen = {});

enum class StrategyStep { Tile, Vectorize };

/// Runs one step on every function marked `heddle.kernel`. Tile chooses the strategy and notes it on the function
/// with the values of its knobs (heddle.chosen); Vectorize has all it needs from the note.
mlir::LogicalResult applyStrategies(mlir::ModuleOp module, const StrategyOptions &options, StrategyStep step);

/// Adds the pass of stage tile: strategies of the folder `target`, chosen by OP=NAME|FILE[:knob=value,...].
void addTile(mlir::OpPassManager &manager, llvm::StringRef target, const TargetFacts &facts,
             llvm::ArrayRef<std::string> choices);

} // namespace heddle

#endif // HEDDLE_STRATEGY_H
