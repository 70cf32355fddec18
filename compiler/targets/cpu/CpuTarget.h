//===- CpuTarget.h - the CPU that code is compiled for ----------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_CPUTARGET_H
#define HEDDLE_TARGETS_CPU_CPUTARGET_H

#include "heddle/TargetFacts.h"

#include "mlir/IR/Location.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle {

struct CpuTarget {
  /// The CPU's name, for which code is tuned.
  std::string cpu;
  /// What code may use, all of it checked at run time, and what strategies go by.
  TargetFacts facts;
  std::unique_ptr<llvm::TargetMachine> machine;

  /// Finds the target; errors at `loc` name what is unknown. `attributes` as in
  /// clang ("+avx2,-fma"), "native" is this machine's CPU.
  static mlir::FailureOr<CpuTarget> create(mlir::Location loc, llvm::StringRef triple, llvm::StringRef cpu,
                                           llvm::StringRef attributes);

  /// "x86_64-pc-linux-gnu znver4 +avx2,..."
  std::string describe() const;
  bool has(llvm::StringRef feature) const;
};

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_CPUTARGET_H
