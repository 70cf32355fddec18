//===- main.cpp - the program heddle --------------------------------------===//

#include "Command.h"

#include "llvm/Support/InitLLVM.h"

using namespace heddle;

static const Command commands[] = {
    {"import", "prints the heddle dialect module of a model and what was recognised in it",
     "heddle import model.onnx --dim batch=1 -o model.mlir", addImport},
    {"compile", "writes native code with a C header: a .so, .a or .o; or .mlir, .ll, .s",
     "heddle compile model.onnx -o model.so", addCompile},
    {"run", "runs a model on inputs from a file", "heddle run model.onnx --input in.safetensors --output out.safetensors",
     addRun},
    {"verify", "compares compiled code with the f64 interpreter, output by output",
     "heddle verify model.onnx --input in.safetensors --expected out.safetensors", addVerify},
    {"strategies", "lists the lowering strategies", "heddle strategies attention", addStrategies},
    {"devices", "lists the devices and what they can do", "heddle devices", addDevices},
};

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  CLI::App app("Heddle compiles transformer models to native kernels and shows that they are right.", "heddle");
  app.set_version_flag("--version", "heddle " HEDDLE_VERSION);
  app.require_subcommand(1);
  int status = ExitDone;
  for (const Command &command : commands) {
    CLI::App *sub = app.add_subcommand(command.name, command.summary);
    sub->footer(std::string("Example:\n  ") + command.example);
    command.add(*sub, status);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? ExitDone : ExitUsage; // --help and --version are errors to CLI11
  }
  return status;
}
