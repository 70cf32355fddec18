//===- main.cpp - the program heddle --------------------------------------===//

#include "ModelArguments.h"

#include "heddle/ErrorHandlers.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace heddle;

static const Command commands[] = {
    {"import", "prints a model as a module of the heddle dialect, and the layers that were recognised",
     "heddle import model.onnx --dim batch=1 -o model.mlir", addImport},
    {"compile", "writes native code with a C header (.so, .a or .o), or code as text (.mlir, .ll, .s)",
     "heddle compile model.onnx -o model.so", addCompile},
    {"run", "runs a model on inputs from a file",
     "heddle run model.onnx --input in.safetensors --output out.safetensors", addRun},
    {"verify", "compares compiled code with the f64 interpreter, output by output",
     "heddle verify model.onnx --input in.safetensors --expected out.safetensors", addVerify},
    {"bench", "times strategies and compares them with each other and with this machine's measured peak rates",
     "heddle bench 'attention hq=12 s=128,512 d=64' --strategy attention=my-attention.mlir", addBench},
    {"strategies", "lists the strategies, which lower operations to fast code", "heddle strategies attention",
     addStrategies},
    {"devices", "lists the devices with their features and limits", "heddle devices", addDevices},
};

static const Command *findCommand(llvm::StringRef name) {
  const Command *found = llvm::find_if(commands, [&](const Command &command) { return name == command.name; });
  return found == std::end(commands) ? nullptr : found;
}

static int refuseCommand(llvm::StringRef name) {
  llvm::errs() << "heddle: error: no command is called '" << name << "'; the commands are ";
  llvm::interleaveComma(commands, llvm::errs(), [](const Command &command) { llvm::errs() << command.name; });
  llvm::errs() << "\n";
  return ExitUsage;
}

/// Implements --help-operation: prints the knobs of the operation `name`.
static void describe(const std::string &name) {
  auto context = createContext();
  std::optional<std::string> text = describeOperation(*context, name);
  if (!text)
    throw CLI::ValidationError("--help-operation",
                               "no operation is called '" + name + "'; the operations are " + quotedOperations());
  llvm::outs() << *text;
  throw CLI::Success();
}

/// Returns an error text if the value of an option is empty. A shell script passes an empty value if it uses an unset
/// variable. If the value were accepted, the option would have no effect: for example, `verify --expected ""` would not
/// compare the outputs with a file.
static std::string refuseEmpty(const std::string &text) { return text.empty() ? "expected a value, found ''" : ""; }

int main(int argc, char **argv) {
  IgnoredSignals ignored;
  llvm::InitLLVM init(argc, argv, /*InstallPipeSignalExitHandler=*/false);
  ignored.restore();
  installErrorHandlers("heddle");
  CLI::App app("Heddle compiles transformer models to native code and verifies its results.", "heddle");
  app.set_version_flag("--version", "heddle " HEDDLE_VERSION);
  app.add_option_function<std::string>(
         "--help-operation", describe,
         "NAME: list the knobs of a quoted operation, with values and defaults; NAME is one of " + quotedOperations())
      ->trigger_on_parse();
  app.footer("Example:\n  heddle compile model.onnx -o model.so\n\n'heddle SUBCOMMAND --help' lists the options of a "
             "subcommand.");
  app.require_subcommand(1);
  // Check the name of the subcommand here, because CLI11 would only report that a subcommand is required, without a
  // list.
  if (argc > 1 && argv[1][0] != '-' && !findCommand(argv[1]))
    return refuseCommand(argv[1]);
  int status = ExitDone;
  for (const Command &command : commands) {
    CLI::App *sub = app.add_subcommand(command.name, command.summary);
    sub->footer(std::string("Example:\n  ") + command.example);
    command.add(*sub, status);
    for (CLI::Option *option : sub->get_options())
      if (option->get_items_expected_max() > 0)
        option->check(refuseEmpty);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    // --help, --version and --help-operation also throw an error; its exit status is 0.
    status = app.exit(error) == 0 ? ExitDone : ExitUsage;
  }
  if (!flushOutput("heddle") && status == ExitDone)
    status = ExitBad;
  return status;
}
