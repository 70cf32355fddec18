//===- Target.h - what code is compiled for ---------------------*- C++ -*-===//
//
// A target owns everything from stage `tile` down. Whoever compiles, runs or
// measures knows this interface alone; `createTarget` finds the implementation.
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

/// Bytes: code, and the stack that a call needs at most.
struct CodeSizes {
  uint64_t code = 0, stack = 0;
};

/// What targets make of modules.
struct ObjectCode {
  /// Relocatable ELF.
  llvm::SmallVector<char, 0> bytes;
  /// Of all of it, instructions and constants.
  CodeSizes sizes;
  /// Of each variant, instructions alone: constants are shared.
  std::vector<CodeSizes> variants;
};

class Target;

/// The code for one CPU in a library: a module at stage llvm.
struct TargetVariant {
  const Target *target;
  mlir::ModuleOp module;
};

/// Code of one library from stage llvmir on.
class TargetCode {
public:
  virtual ~TargetCode() = default;

  /// The text of stage llvmir or object (assembly). It has no embedded weights.
  virtual mlir::LogicalResult print(Stage stage, llvm::raw_ostream &os) = 0;

  /// Writes the object. It has a section for `weightsSize` bytes of weights, if there are any, but not these
  /// (WeightsObject.h). Called once, as the last.
  virtual mlir::FailureOr<ObjectCode> emit(uint64_t weightsSize) = 0;
};

class Target {
public:
  virtual ~Target() = default;

  /// The name of its kind of device.
  virtual llvm::StringRef getDevice() const = 0;

  /// The folder of its strategies.
  virtual llvm::StringRef getStrategies() const { return getDevice(); }

  /// Its name among those of one library: that of the CPU.
  virtual llvm::StringRef getName() const = 0;

  /// Says all that code depends on: "x86_64-pc-linux-gnu znver4 +avx2,...".
  virtual std::string describe() const = 0;

  /// What strategies go by.
  const TargetFacts &getFacts() const { return facts; }

  /// Has packed weights laid out so that code for vectors of other widths, the widest of so many bits, reads them too.
  void sharePanels(int64_t widest) { facts.limits["shared_bits"] = widest; }

  /// Has weights of bytes laid out for products with bytes, which code for another target multiplies.
  void shareBytes() { facts.limits["dot_bits"] = 8; }

  /// Adds the passes of a stage from tile to llvm. Strategies are OP=NAME|FILE[:knob=value,...].
  virtual void addStage(mlir::OpPassManager &manager, Stage stage, llvm::ArrayRef<std::string> strategies) const = 0;

  /// What computes with sizes where `func` begins, a function of a module at stage llvm.
  virtual std::unique_ptr<SizeArithmetic> makeSizeArithmetic(mlir::FunctionOpInterface func,
                                                             const Sizes &sizes) const = 0;

  /// Adds to the interface what a device is to run, all but its code, where kernels are not the host's; the module is at
  /// stage llvm.
  virtual mlir::LogicalResult addDeviceProgram(mlir::ModuleOp module, ModelInterface &interface) const {
    return mlir::success();
  }

  /// Adds the code to such an interface. It takes longer.
  virtual mlir::LogicalResult addDeviceCode(mlir::ModuleOp module, ModelInterface &interface) const {
    return mlir::success();
  }

  /// Makes one library's code of the modules, and of the functions that C programs call. The variants are those of the
  /// interface, this target's the first, all by the same createTargets. The targets must outlive the code.
  virtual mlir::FailureOr<std::unique_ptr<TargetCode>> translate(llvm::ArrayRef<TargetVariant> variants,
                                                                 const ModelInterface &interface) const = 0;

  /// Why this process cannot run the code, whatever its CPU has; "" where it can.
  virtual std::string whyNotHere() const = 0;

protected:
  TargetFacts facts;
};

/// As on the command line.
struct TargetOptions {
  std::string device = hostDevice.str(); // a kind's name
  /// As in clang: "" is this machine's triple, "native" this machine's CPU and what
  /// it has; attributes adds and removes features ("+avx2,-fma").
  std::string triple, cpu = "native", attributes;
};

/// Finds the target; errors at `loc` name what is unknown.
mlir::FailureOr<std::unique_ptr<Target>> createTarget(mlir::Location loc, const TargetOptions &options);

/// The targets of one library, the best first: that with the widest vectors, then that with more features. The CPU is
/// several, separated by commas, or "" for those that libraries are for unless somebody says otherwise.
mlir::FailureOr<std::vector<std::unique_ptr<Target>>> createTargets(mlir::Location loc, const TargetOptions &options);

} // namespace heddle

#endif // HEDDLE_TARGET_H
