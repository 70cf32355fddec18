//===- Strategy.h - finding and running strategies --------------*- C++ -*-===//
//
// A strategy is an .mlir file that describes how to lower one kind of operation to fast code. It is a module with the
// attribute
//
//   heddle.strategy = {op = "linear", target = "cpu", features = [], priority = 20}
//
// and the named sequences @match (applied to the operation; its failure text is the reason why the strategy is not
// eligible), @tile and @vectorize (applied to the kernel function). `features` are the CPU features that the generated
// code needs. If a strategy only declares a sequence, the definition in compiler/strategies/cpu.mlir (for devices:
// gpu.mlir) is used, which all strategies share.
//
// By default, the eligible strategy with the highest priority is used. A transform.tune.knob operation is a parameter:
// a size to tune, or a target fact on which the strategy depends. The value of a knob is the first of these that
// exists:
// (1) the value that the user chose;
// (2) the target's fact (TargetFacts.h) of the same name, or the option nearest to it;
// (3) the value of an entry of the knob's `defaults`. An entry contains minimum values of facts, and applies if the
//     facts of the target reach all of them (a value that the user chose for a knob replaces the fact of the same
//     name). If several entries apply, the last one is used.
//
//   transform.tune.knob<"panel"> = 16 from options = [16, 32, 48] {defaults = [{vector_bits = 512, value = 48}]}
//
// (4) the selected value of the knob.
// The facts vector_bits, vector_registers, workgroup_kib, workgroup_threads, tile_kib and part_workgroups are upper
// bounds of the knobs of the same names; workgroup_threads also bounds a knob `threads`, and tile_stages a knob
// `stages`: (2) to (4) choose among options that do not exceed the bound. A strategy is not eligible if the value of
// a knob exceeds its bound, for example because the user chose the value.
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

/// A strategy file that is embedded in the program.
struct EmbeddedStrategy {
  llvm::StringRef name, target, op, text;
};
llvm::ArrayRef<EmbeddedStrategy> embeddedStrategies();

/// The target of strategies that are for all devices, as opposed to those for one kind of device, such as "cuda".
inline constexpr llvm::StringLiteral anyDevice = "gpu";

/// The text of the module of sequences that the strategies of a target share; empty if there is none.
llvm::StringRef sharedSequences(llvm::StringRef target);

/// The value of a knob on targets whose facts reach the minimum values `limits`.
struct KnobDefault {
  std::map<std::string, int64_t> limits;
  int64_t value = 0;
};

/// A knob of a strategy: a transform.tune.knob operation.
struct Knob {
  std::string name;
  int64_t selected; // the value that applies if (1) to (3) do not determine one
  std::vector<int64_t> options;
  std::vector<KnobDefault> defaults;
};

/// Values of knobs by name. Depending on the use, the map contains all knobs or only the knobs that the user chose.
using KnobValues = std::map<std::string, int64_t>;

/// A parsed and checked strategy.
struct Strategy {
  std::string name; // the stem of an embedded file, or the path of a user's file
  std::string op, target;
  std::vector<std::string> features;
  int64_t priority = 0;
  std::vector<Knob> knobs;
  std::string text;                                          // the content of the file
  std::shared_ptr<mlir::OwningOpRef<mlir::ModuleOp>> module; // the parsed text
};

/// A choice on the command line: `OP=NAME|FILE[:knob=value,...]`.
struct StrategyChoice {
  std::string op, strategy;
  KnobValues knobs;
};
/// Splits a choice at the colon before the knobs; the second part is "" if there are no knobs.
std::pair<llvm::StringRef, llvm::StringRef> splitKnobs(llvm::StringRef choice);
/// Parses a choice; fails with the reason in `error`.
mlir::FailureOr<StrategyChoice> parseStrategyChoice(llvm::StringRef text, std::string &error);

/// The first reason why choices cannot be valid: a choice that cannot be parsed; an operation, a strategy, a knob or a
/// value of a knob that does not exist; or a second choice for an operation. Returns nothing if there is no such
/// reason. A user's file is not read, so its knobs are checked only when the strategy is used.
std::optional<std::string> findWrongChoice(mlir::MLIRContext &context, llvm::ArrayRef<std::string> texts);

/// The target and the user's choices, which determine the strategies that are used.
struct StrategyOptions {
  /// The kind of device. If it is anyDevice instead, only strategies that are for all devices are eligible.
  std::string target = hostDevice.str();
  TargetFacts facts;
  std::vector<StrategyChoice> choices;
};

/// The embedded strategies for `op`, in descending order of priority. If `op` is empty, returns the strategies for all
/// operations.
mlir::FailureOr<std::vector<Strategy>> listStrategies(mlir::MLIRContext &context, llvm::StringRef op = "");

/// The values of all knobs on a target; `chosen` has the values that the user chose.
KnobValues findKnobValues(const Strategy &strategy, const TargetFacts &facts, const KnobValues &chosen = {});

/// The reason why a knob or a value in `choice` is not valid for the strategy; nothing if all are valid.
std::optional<std::string> findWrongKnob(const Strategy &strategy, const StrategyChoice &choice);

/// Parses and checks a strategy; errors are emitted at locations in its text.
mlir::FailureOr<Strategy> parseStrategy(mlir::MLIRContext &context, llvm::StringRef name, llvm::StringRef text);
mlir::FailureOr<Strategy> loadStrategyFile(mlir::MLIRContext &context, llvm::StringRef path);

/// `kernelRoot` returns the root operation of a kernel: its layer, or else its softmax, its contraction or its last
/// operation; null if the function is empty. `kernelOp` returns the name that strategies use for this operation
/// ("linear", "softmax", "contraction", "general"); "" if the function is empty.
mlir::Operation *kernelRoot(mlir::func::FuncOp kernel);
std::string kernelOp(mlir::func::FuncOp kernel);

/// Whether strategies of the folder `strategies` are for `target`: the folder has the name of the target, or it is
/// anyDevice and the target is a device.
bool isForTarget(llvm::StringRef strategies, llvm::StringRef target);

/// The reason why the strategy cannot lower any kernel on the target of the options: it is for another target, or it
/// needs a feature that the target lacks. Returns nothing if neither is the case.
std::optional<std::string> whyNot(const Strategy &strategy, const StrategyOptions &options);

/// The reason why the strategy cannot lower this kernel on the target of the options with these knobs; nothing if it
/// can.
std::optional<std::string> whyNot(const Strategy &strategy, mlir::func::FuncOp kernel,
                                  const StrategyOptions &options, const KnobValues &chosen = {});

/// A stage in which strategies run. It has the name of the sequence that it runs, @tile or @vectorize.
enum class StrategyStep { Tile, Vectorize };

/// Runs one step on every function with the attribute `heddle.kernel`. Tile selects a strategy and records it on the
/// function together with the values of its knobs (the annotation heddle.chosen); Vectorize uses this record.
mlir::LogicalResult applyStrategies(mlir::ModuleOp module, const StrategyOptions &options, StrategyStep step);

/// Adds the pass of stage tile, which uses the strategies for `target` (see StrategyOptions::target). `choices` are
/// OP=NAME|FILE[:knob=value,...].
void addTile(mlir::OpPassManager &manager, llvm::StringRef target, const TargetFacts &facts,
             llvm::ArrayRef<std::string> choices);

} // namespace heddle

#endif // HEDDLE_STRATEGY_H
