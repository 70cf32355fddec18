//===- Compile.h - compiles models to objects -------------------*- C++ -*-===//

#ifndef HEDDLE_COMPILE_H
#define HEDDLE_COMPILE_H

#include "heddle/Import.h"
#include "heddle/Session.h"
#include "heddle/Target.h"

#include "llvm/Support/MemoryBuffer.h"

namespace heddle {

struct CompiledModel;

/// The options of a compilation.
struct CompileOptions {
  /// The prefix of every exported symbol; a C identifier.
  std::string name = "model";
  /// `target.cpu` may be a list of several CPUs, or "" for the default CPUs of a library (createTargets). If `to` is a
  /// stage from tile to llvm, the result is for one CPU: "" means the best of the default CPUs, and a list is an error.
  TargetOptions target;
  /// The strategies that the user chose, each as OP=NAME|FILE[:knob=value,...].
  std::vector<std::string> strategies;
  /// Whether the object contains the weights. Otherwise they are passed to NAME_init.
  bool embedWeights = false;
  /// Whether the object also defines heddle_query (heddle/model.h), which programs that load a shared library call to
  /// find its model.
  bool exportQuery = false;
  /// Whether to export one function NAME with positional arguments, as for quoted operations. Ignored if the model has
  /// weights or states, or if the code is for a device.
  bool positional = false;
  /// The command line of the compilation, for the first lines of the header.
  std::string commandLine;
  /// The last stage to run. If this is not Object, no object is made.
  Stage to = Stage::Object;
  /// The stage that produced the given module. Compilation continues with the next stage.
  Stage from = Stage::Import;
  /// Called after each stage with a function that prints the result of the stage (for Object: assembly). If there are
  /// several CPUs or classes of sizes (parts of the sizes' ranges with code of their own), `variant` identifies the
  /// variant that is printed: "znver4-sequence_length=2..8". It names no CPU up to stage kernels, whose results are the
  /// same for all CPUs, and is empty after stage llvm, when one module contains all variants.
  std::function<mlir::LogicalResult(Stage, llvm::StringRef variant, llvm::function_ref<void(llvm::raw_ostream &)> print)>
      afterStage;
  /// Called with the module after each stage up to llvm, before `afterStage`; it may change the module, and compilation
  /// continues with the changed one. If sizes lie in ranges, it is called again for modules with other placeholders
  /// (the numbers that represent sizes in types) and must make the same change there.
  std::function<mlir::LogicalResult(Stage, mlir::ModuleOp)> changeModule;
  /// Receives the block of weights, one weight after the other, unless `embedWeights` is set. If null, the block
  /// becomes CompiledModel::weights.
  llvm::raw_pwrite_stream *weights = nullptr;
  /// Called with a description of each step as it begins.
  std::function<void(const std::string &)> progress = [](const std::string &) {};
  /// Called with the finished object, if `to` is Object. It returns sentences about the object for the header, such as
  /// measured errors.
  std::function<mlir::FailureOr<std::vector<std::string>>(const CompiledModel &)> measure;
};

/// Describes the code for one CPU, and for one class of sizes if there are several, in a library.
struct CompiledVariant {
  std::string name, sizes; // the CPU; the class of sizes, "" if there is only one
  /// Sizes in bytes: the instructions, the arena for one thread, the part of the arena that each further thread adds,
  /// and the stack.
  uint64_t codeSize = 0, arenaSize = 0, workerSize = 0, stackSize = 0;
};

/// The result of a compilation.
struct CompiledModel {
  /// The reason why this process cannot run the code; "" if it can.
  std::string whyNotHere;
  /// A relocatable ELF file.
  std::unique_ptr<llvm::MemoryBuffer> object;
  /// For a device, from stage llvm on: the code that the library passes to the device, such as SPIR-V.
  std::vector<char> deviceCode;
  /// The block of weights, which a program passes to NAME_init as `weights`: a header of 64 bytes, then all weights.
  /// Empty if the object contains the weights or they were written to a stream.
  std::vector<char> weights;
  /// The number of bytes of the block of weights, whether it is in `weights`, in the object or in a stream.
  uint64_t weightsSize = 0;
  /// The text of NAME.h.
  std::string header;
  /// Sizes in bytes: all instructions and constants of the object; and, each as the maximum over all variants, the
  /// arena for one thread, the part of the arena that each further thread adds, and the stack that a call needs.
  uint64_t codeSize = 0, arenaSize = 0, workerSize = 0, stackSize = 0;
  /// The variants, grouped by class of sizes; within a class the best variant is first.
  std::vector<CompiledVariant> variants;
};

/// Loads the compiled model with the prefix `name` (CompileOptions::name) into this process, with the code of the given
/// variant or, if `variant` is empty, of the best one for this CPU. Fails if this process cannot run the code. Code for
/// a device is loaded onto `device`.
llvm::Expected<std::unique_ptr<Session>> loadHere(CompiledModel compiled, llvm::StringRef name,
                                                  llvm::StringRef variant = "", DevicePtr device = nullptr);

/// Writes the model to a temporary shared library and lets the command `runner` load it (Session::fromRunner); the file
/// is removed with the session. The model must have been compiled with embedWeights and exportQuery.
llvm::Expected<std::unique_ptr<Session>> loadElsewhere(mlir::MLIRContext &context, const CompiledModel &compiled,
                                                       llvm::StringRef runner);

/// Checks before a model is imported that the target and the strategies exist and, if `runsHere`, that this process can
/// run the code. Errors are emitted as the context's diagnostics.
mlir::LogicalResult checkOptions(mlir::MLIRContext &context, const CompileOptions &options, bool runsHere = false);

/// Compiles the model and consumes it. Errors are emitted as the context's diagnostics.
mlir::FailureOr<CompiledModel> compileModel(Model model, const CompileOptions &options);

} // namespace heddle

#endif // HEDDLE_COMPILE_H
