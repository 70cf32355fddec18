//===- Compile.h - models made into objects ---------------------*- C++ -*-===//

#ifndef HEDDLE_COMPILE_H
#define HEDDLE_COMPILE_H

#include "heddle/Import.h"
#include "heddle/Session.h"
#include "heddle/Target.h"

#include "llvm/Support/MemoryBuffer.h"

namespace heddle {

struct CompiledModel;

struct CompileOptions {
  /// Prefix of every exported symbol; a C identifier.
  std::string name = "model";
  /// Its CPU may be several, or "" for those that libraries are for unless somebody says otherwise (createTargets); of
  /// the latter a module of one of the stages that are a target's is for the best.
  TargetOptions target;
  /// OP=NAME|FILE[:knob=value,...]
  std::vector<std::string> strategies;
  /// The weights become part of the object; else they are handed to NAME_init.
  bool embedWeights = false;
  /// The object defines heddle_query as well, as a shared library should.
  bool exportQuery = false;
  /// One function NAME with positional arguments, for a single operation.
  bool positional = false;
  /// The command that made it, for the header's first lines.
  std::string commandLine;
  /// The last stage to run. Before Object no object is made.
  Stage to = Stage::Object;
  /// Stage that the model's module is at.
  Stage from = Stage::Import;
  /// Called after each stage with what prints its result (for Object: assembly), and with the CPU and the class of sizes
  /// that it is for where there are several: "znver4-sequence_length=2..8".
  std::function<mlir::LogicalResult(Stage, llvm::StringRef variant, llvm::function_ref<void(llvm::raw_ostream &)> print)>
      afterStage;
  /// Called with the module after each stage up to llvm, before `afterStage`: what it changes is
  /// compiled on. Where sizes lie in ranges it changes the module with other primes for them in the same way.
  std::function<mlir::LogicalResult(Stage, mlir::ModuleOp)> changeModule;
  /// The block of weights is written here as it is made, weight by weight; null: it is kept in memory.
  llvm::raw_pwrite_stream *weights = nullptr;
  /// Told what is being done.
  std::function<void(const std::string &)> progress = [](const std::string &) {};
  /// Called with the finished object: what it finds out about it, sentences for the header.
  std::function<mlir::FailureOr<std::vector<std::string>>(const CompiledModel &)> measure;
};

/// The code for one CPU, and one class of sizes where there are several, in a library.
struct CompiledVariant {
  std::string name, sizes; // of the CPU; of the class, "" where there is one
  /// Bytes of instructions, of the arena for one thread and for each further one, and of stack.
  uint64_t codeSize = 0, arenaSize = 0, workerSize = 0, stackSize = 0;
};

struct CompiledModel {
  /// Why this process cannot run it; "" where it can.
  std::string whyNotHere;
  /// Relocatable ELF.
  std::unique_ptr<llvm::MemoryBuffer> object;
  /// Of code for a device, from stage llvm on: what the library hands to it (SPIR-V).
  std::vector<char> deviceCode;
  /// What NAME_init takes: a header of 64 bytes, then all weights. Empty where it is in the object, or was written.
  std::vector<char> weights;
  /// Bytes of it, wherever it is.
  uint64_t weightsSize = 0;
  /// NAME.h
  std::string header;
  /// Bytes: instructions and constants, the arena for one thread and for each further
  /// one, the stack that a call needs at most, whichever variant it has.
  uint64_t codeSize = 0, arenaSize = 0, workerSize = 0, stackSize = 0;
  /// The best first, of each class of sizes after the other.
  std::vector<CompiledVariant> variants;
};

/// Loads what was compiled into this process, with the code of one variant, or the best for this CPU. Fails where its
/// target does not run here. Code for a device goes to `device`.
llvm::Expected<std::unique_ptr<Session>> loadHere(CompiledModel compiled, llvm::StringRef name,
                                                  llvm::StringRef variant = "", DevicePtr device = nullptr);

/// Has the command `runner` (Session::fromRunner) load it from a shared library, a file that goes with the session. It
/// must have been compiled with embedWeights and exportQuery.
llvm::Expected<std::unique_ptr<Session>> loadElsewhere(mlir::MLIRContext &context, const CompiledModel &compiled,
                                                       llvm::StringRef runner);

/// Whether target and strategies exist and, if `runsHere`, whether this process can run the code, before there is a
/// model. Errors go to the context's diagnostics.
mlir::LogicalResult checkOptions(mlir::MLIRContext &context, const CompileOptions &options, bool runsHere = false);

/// Compiles the model, which this consumes. Errors go to the context's diagnostics.
mlir::FailureOr<CompiledModel> compileModel(Model model, const CompileOptions &options);

} // namespace heddle

#endif // HEDDLE_COMPILE_H
