//===- CpuTarget.h - the CPU that code is compiled for ----------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_CPUTARGET_H
#define HEDDLE_TARGETS_CPU_CPUTARGET_H

#include "heddle/Target.h"

#include "mlir/IR/Location.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle {

struct CpuArchitecture;

/// A CPU for which code is compiled: its architecture, its name and the features that code may use.
class CpuTarget : public Target {
public:
  /// Creates the target for the options. Emits an error at `loc` if the options name a triple that is not supported, or
  /// a CPU or feature that is unknown or does not fit the triple. Generated code may use all features of the target,
  /// because the library checks at run time that the CPU has them.
  static mlir::FailureOr<std::unique_ptr<Target>> create(mlir::Location loc, const TargetOptions &options);

  /// Returns the default of --mcpu for the architecture of the options: names of CPUs, separated by commas.
  static std::string getDefaultCpus(const TargetOptions &options);

  llvm::StringRef getDevice() const override { return hostDevice; }
  llvm::StringRef getName() const override { return cpu; }
  std::string describe() const override;
  void addStage(mlir::OpPassManager &manager, Stage stage, llvm::ArrayRef<std::string> strategies) const override;
  std::unique_ptr<SizeArithmetic> makeSizeArithmetic(mlir::FunctionOpInterface func,
                                                     const Sizes &sizes) const override;
  mlir::FailureOr<std::unique_ptr<TargetCode>> translate(llvm::ArrayRef<TargetVariant> variants,
                                                         const ModelInterface &interface) const override;
  std::string whyNotHere() const override;

  llvm::TargetMachine &getMachine() const { return *machine; }
  const CpuArchitecture &getArchitecture() const { return *architecture; }
  bool has(llvm::StringRef feature) const { return llvm::is_contained(facts.features, feature); }

private:
  std::string cpu; // LLVM's name of the CPU
  const CpuArchitecture *architecture = nullptr;
  std::unique_ptr<llvm::TargetMachine> machine;
};

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_CPUTARGET_H
