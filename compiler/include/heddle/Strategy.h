//===- Strategy.h - finding, choosing and running strategies ----*- C++ -*-===//
//
// A strategy is one .mlir file: how one kind of operation becomes fast. It is a
// module with the attribute
//
//   heddle.strategy = {op = "linear", target = "cpu", features = ["avx512f"], priority = 20}
//
// and the named sequences @match (on the operation; its failure text says why the
// strategy is not eligible), @tile and @vectorize (on the kernel function). Sizes
// to be tuned are transform.tune.knob ops with their default as `selected`, which a limit
// of the target (TargetFacts.h) takes the place of where the knob is called like it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_STRATEGY_H
#define HEDDLE_STRATEGY_H

#include "heddle/TargetFacts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

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

struct Knob {
  std::string name;
  int64_t selected;
  std::vector<int64_t> options;
};

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
  std::vector<std::pair<std::string, int64_t>> knobs;
};
/// Fails with the reason in `error`.
mlir::FailureOr<StrategyChoice> parseStrategyChoice(llvm::StringRef text, std::string &error);

/// Why a choice cannot be meant: an operation, a name, a knob or a knob's value that does not exist, or a
/// second choice for one operation. Nothing where it can; a file of the user's is looked at when it is used.
std::optional<std::string> findWrongChoice(mlir::MLIRContext &context, llvm::ArrayRef<std::string> texts);

struct StrategyOptions {
  std::string target = "cpu";
  TargetFacts facts;
  std::vector<StrategyChoice> choices;
};

/// Every embedded strategy for `op` (all where empty), best first, with its own defaults.
mlir::FailureOr<std::vector<Strategy>> listStrategies(mlir::MLIRContext &context, llvm::StringRef op = "");

/// Gives knobs that are called like one of the target's limits the option next to it as their default.
void setDefaults(Strategy &strategy, const TargetFacts &facts);

/// Why the strategy cannot be run with the choice's knobs; nothing where it can.
std::optional<std::string> findWrongKnob(const Strategy &strategy, const StrategyChoice &choice);

/// Parses and checks one strategy; errors carry the file's locations.
mlir::FailureOr<Strategy> parseStrategy(mlir::MLIRContext &context, llvm::StringRef name, llvm::StringRef text);
mlir::FailureOr<Strategy> loadStrategyFile(mlir::MLIRContext &context, llvm::StringRef path);

/// What a kernel computes: its root operation and the name strategies have for it
/// ("linear", "softmax", "contraction", "general"). Null where the function is empty.
mlir::Operation *kernelRoot(mlir::func::FuncOp kernel);
std::string kernelOp(mlir::func::FuncOp kernel);

/// Why the strategy cannot lower the kernel for these features; nothing where it can.
std::optional<std::string> whyNot(const Strategy &strategy, mlir::func::FuncOp kernel,
                                  const StrategyOptions &options);

enum class StrategyStep { Tile, Vectorize };

/// Runs one step on every function marked `heddle.kernel`. Tile chooses the strategy
/// and notes it on the function (heddle.strategy, a dictionary); Vectorize reads the note.
mlir::LogicalResult applyStrategies(mlir::ModuleOp module, const StrategyOptions &options, StrategyStep step);

} // namespace heddle

#endif // HEDDLE_STRATEGY_H
