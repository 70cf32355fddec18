//===- Target.h - a machine that code is compiled for -----------*- C++ -*-===//
//
// A target implements all stages from `tile` on. Code that compiles, runs or measures models uses only this interface;
// `createTarget` finds the implementation.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TARGET_H
#define HEDDLE_TARGET_H

#include "heddle/Devices.h"
#include "heddle/SizeArithmetic.h"
#include "heddle/Stages.h"
#include "heddle/TargetFacts.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle {

struct ModelInterface;

/// The number of bytes of code, and the maximum number of bytes of stack that a call needs.
struct CodeSizes {
  uint64_t code = 0, stack = 0;
};

/// The object file that a target generates for a library.
struct ObjectCode {
  /// A relocatable ELF file.
  llvm::SmallVector<char, 0> bytes;
  /// The instructions and constants of the whole object, and the largest stack of a variant.
  CodeSizes sizes;
  /// The instructions and the stack of each variant; variants share the constants.
  std::vector<CodeSizes> variants;
};

class Target;

/// The code in a library for one CPU, and for one class of sizes if there are several: a module at stage llvm.
struct TargetVariant {
  const Target *target;
  mlir::ModuleOp module;
};

/// The code of one library, at stage llvmir or later.
class TargetCode {
public:
  virtual ~TargetCode() = default;

  /// Prints the text of stage llvmir or object (assembly), without embedded weights.
  virtual mlir::LogicalResult print(Stage stage, llvm::raw_ostream &os) = 0;

  /// Writes the object. If `weightsSize` is not 0, the object contains a section of this many bytes for the weights,
  /// which the caller fills in (WeightsObject.h). Must be called only once, after all calls of `print`.
  virtual mlir::FailureOr<ObjectCode> emit(uint64_t weightsSize) = 0;
};

/// A machine that code is compiled for.
class Target {
public:
  virtual ~Target() = default;

  /// The name of the target's kind of device. isForTarget (Strategy.h) decides which strategies are for it.
  virtual llvm::StringRef getDevice() const = 0;

  /// The name that the target has among the variants of a library: the name of the CPU, or of the kind
  /// of device.
  virtual llvm::StringRef getName() const = 0;

  /// The CPU and its features, or other facts on which the code depends, as text: "x86_64-pc-linux-gnu znver4
  /// +avx2,...".
  virtual std::string describe() const = 0;

  /// The target facts on which strategies depend.
  const TargetFacts &getFacts() const { return facts; }

  /// Selects a layout for packed weights that code for other vector widths, up to `widest` bits, can read as well.
  void sharePanels(int64_t widest) { facts.limits["shared_bits"] = widest; }

  /// Selects the layout of int8 weights for dot products of bytes, because a target of the library multiplies bytes.
  void shareBytes() { facts.limits["dot_bits"] = 8; }

  /// Adds the passes of a stage from tile to llvm. Strategies are OP=NAME|FILE[:knob=value,...].
  virtual void addStage(mlir::OpPassManager &manager, Stage stage, llvm::ArrayRef<std::string> strategies) const = 0;

  /// Creates an emitter of computations with sizes at the beginning of `func`, a function of a module at stage llvm.
  virtual std::unique_ptr<SizeArithmetic> makeSizeArithmetic(mlir::FunctionOpInterface func,
                                                             const Sizes &sizes) const = 0;

  /// If kernels run on a device, sets `interface.device` to a description of the kernels and of the launches of a call.
  /// The description does not contain the code of the kernels yet. The module is at stage llvm.
  virtual mlir::LogicalResult addDeviceProgram(mlir::ModuleOp module, ModelInterface &interface) const {
    return mlir::success();
  }

  /// Adds the code of the kernels to `interface.device`, which addDeviceProgram has set. Translating the kernels may
  /// take a long time.
  virtual mlir::LogicalResult addDeviceCode(mlir::ModuleOp module, ModelInterface &interface) const {
    return mlir::success();
  }

  /// Translates the modules of `variants`, and generates the functions that C programs call, as the code of one
  /// library. `variants` is ordered by class of sizes (a part of the sizes' ranges that has code of its own) and,
  /// within a class, in the order of the interface's variants; the first variant of a class is for this target. All
  /// targets must come from one call of createTargets, and must outlive the code.
  virtual mlir::FailureOr<std::unique_ptr<TargetCode>> translate(llvm::ArrayRef<TargetVariant> variants,
                                                                 const ModelInterface &interface) const = 0;

  /// The reason why this process cannot run the code, regardless of the features of its CPU; "" if it can.
  virtual std::string whyNotHere() const = 0;

protected:
  TargetFacts facts;
};

/// The options of the command line that select a target.
struct TargetOptions {
  std::string device = hostDevice.str(); // the name of a kind of device
  /// As in clang: "" is this machine's triple; "native" is this machine's CPU with its features; attributes add and
  /// remove features ("+avx2,-fma").
  std::string triple, cpu = "native", attributes;
};

/// Creates the target; errors at `loc` name the option that is not known.
mlir::FailureOr<std::unique_ptr<Target>> createTarget(mlir::Location loc, const TargetOptions &options);

/// Creates the targets of one library, the best first: ordered by the width of vectors, then by the number of features,
/// both descending. The CPU may be a list separated by commas, or "" for the default CPUs of a library. All targets use
/// one layout of packed weights. Emits an error if two CPUs have the same name or the same features, or if attributes
/// are given for several CPUs.
mlir::FailureOr<std::vector<std::unique_ptr<Target>>> createTargets(mlir::Location loc, const TargetOptions &options);

} // namespace heddle

#endif // HEDDLE_TARGET_H
