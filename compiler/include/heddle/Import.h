//===- Import.h - imports models from files and from text -------*- C++ -*-===//
//
// An importer turns a model into a module whose public function `main` has tensors of static shape as arguments and
// results. Arguments carry the attribute `heddle.name` and, where they are known, `heddle.dims` (the names of the
// dimensions), `heddle.default` (the value of an optional input) and `heddle.range` (the valid values of an index
// input). Results carry `heddle.name`.
//
// Errors in a model are emitted as the context's diagnostics.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_H
#define HEDDLE_IMPORT_H

#include "heddle/WeightStore.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <memory>

namespace heddle {

/// A dimension of an input that determines a size: the extent of dimension `dim` is `factor` times the size.
struct SizePlace {
  std::string input;
  size_t dim, rank; // the index of the dimension, and the number of dimensions of the input
  int64_t factor = 1;
};

/// A dimension to which neither the model nor `--dim` gives a fixed size.
struct OpenDim {
  std::string name;
  int64_t suggestion; // a size for which the model can be imported
  std::vector<SizePlace> places;
  std::string fallback = {}; // the default size or range, in the syntax of parseSizes; "": the user must give the size
};

/// How to import a model with sizes that lie in ranges.
struct SizeOptions {
  /// A fixed value for each size. If this map is not empty, the imported model has fixed sizes only; otherwise it
  /// supports all sizes in the ranges.
  llvm::StringMap<int64_t> at;
  /// Narrower ranges of sizes, both ends inclusive. A size that is not in this map has its whole range.
  llvm::StringMap<std::pair<int64_t, int64_t>> within;
  /// The maximum number of sets of placeholders.
  static constexpr int choices = 4;
  /// The index of the set of placeholders that represents the sizes in types (Sizes.h).
  int placeholderSet = 0;
};

/// Consecutive values of a size, both ends inclusive.
struct SizeInterval {
  int64_t low, high;
  bool isOne() const { return low == high; }
  bool operator==(const SizeInterval &other) const { return low == other.low && high == other.high; }
};

/// A combination of sizes for which a library has code of its own: an interval for each size of the model that lies in
/// a range, in the order of the sizes.
struct SizeClass {
  std::string name; // such as "sequence_length=2..8"; contains only the sizes that have several classes
  std::vector<SizeInterval> within;
};

/// Returns the function @main of a model's module, whose arguments and results are the inputs and outputs of the model.
inline mlir::func::FuncOp mainOf(mlir::ModuleOp module) { return module.lookupSymbol<mlir::func::FuncOp>("main"); }

/// An imported model.
struct Model {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  WeightStore weights;
  /// If sizes lie in ranges (notes::sizes): imports the same model again with other size options.
  std::function<mlir::FailureOr<Model>(const SizeOptions &)> importAgain = nullptr;
  /// All combinations of the classes of the sizes; the class of the last size changes fastest. If empty, the library
  /// has the same code for all sizes.
  std::vector<SizeClass> classes = {};
  /// If the model has states and was imported from files: computes a hash of the content of the files and of the
  /// precision to which the model was lowered. The hash does not depend on the sizes for which the model was imported.
  std::function<uint64_t()> identify = nullptr;

  mlir::func::FuncOp main() const { return mainOf(module.get()); }
};

/// A symbolic dimension that lies in a range.
struct DimRange {
  std::string name;
  int64_t low, high; // the smallest and the largest size, both inclusive
  /// The classes, in ascending order without gaps from low to high; empty if there is only one class.
  std::vector<SizeInterval> classes = {};
};

/// Parses N or LOW..HIGH, or a list of consecutive classes, each N or LOW..HIGH: "1,2..8,9..512". Returns "" or an
/// error text.
std::string parseSizes(llvm::StringRef text, DimRange &range);

/// Options of an import: the sizes, states and parts of the model to import.
struct ImportOptions {
  SizeOptions sizes;
  /// The symbolic dimensions that lie in ranges; `dims` does not contain them.
  std::vector<DimRange> ranges;
  /// The fixed sizes of symbolic dimensions, by name.
  llvm::StringMap<int64_t> dims;
  /// Whether a size may be 0, because its range begins at 0. Inputs may then be empty.
  bool mayBeEmpty = false;
  /// Whether to import a Hugging Face directory or a GGUF file as a decoder with a state, which keeps keys and values
  /// between calls ("Decoders that keep a past" in compiler/tools/README.md).
  bool decoder = false;
  /// Whether to turn the past inputs and present outputs of an ONNX file into states, which are kept between calls
  /// (KeepStates.h).
  bool state = false;
  /// Inputs of an ONNX file that remain inputs of the model although they have initializers. It is an error if the file
  /// has no input with such a name. Inputs with initializers that are neither in `asInputs` nor in `given` become
  /// constants.
  std::vector<std::string> asInputs;
  /// The names of the tensors in the file of inputs (--input), if there is one. Inputs of an ONNX file that have
  /// initializers remain inputs of the model if `given` contains their names.
  std::vector<std::string> given;
  /// The names of the outputs that the model keeps; if empty, it keeps all outputs.
  std::vector<std::string> outputs;
  /// Whether to write zeros to the rows of outputs at positions where the attention mask is 0, so that these rows need
  /// not be computed. The result attribute `heddle.zero_where` names the mask.
  bool skipPadding = false;
};

/// The imported model, or the reason why the import failed.
struct [[nodiscard]] ImportResult : mlir::FailureOr<Model> {
  /// The dimensions without a size. If there are any, the import failed for this reason alone, and the caller should
  /// report that the command line lacks these sizes.
  std::vector<OpenDim> openDims;
  /// Whether the import failed because of the request (such as an unknown knob of a quoted operation, or a --dim that
  /// the model does not have) and not because of the content of the model.
  bool wrongUsage = false;
};

/// Imports `model`: an .onnx file, a Hugging Face directory, a .gguf or .mlir file, or a quoted operation such as
/// 'linear m=128 n=1536 k=384'.
ImportResult importModel(mlir::MLIRContext &context, llvm::StringRef model, const ImportOptions &options = {});

/// Checks that the module of a model whose sizes lie in ranges can be printed to a file and parsed again. There may be
/// at most maxSizes sizes in ranges. Each of them and each derived size needs a name of its own, and a placeholder with
/// a prime factor that no other placeholder has. The placeholder is a prime of at most maxPlaceholder or, for a derived
/// size, a number of at most maxDerived. The bounds of a derived size must be the bounds of its expression. The error
/// states the violated condition, with the value of such a limit (constants in compiler/import).
mlir::LogicalResult checkPrintable(const Model &model);

/// The names of the supported ONNX operators, sorted.
std::vector<std::string> onnxOperators();

/// The names of all quoted operations as a readable list: "attention, ffn, ..".
std::string quotedOperations();

/// Describes a quoted operation: its operands, and its knobs with their values and defaults, one per line. Returns
/// nothing if there is no such operation.
std::optional<std::string> describeOperation(mlir::MLIRContext &context, llvm::StringRef name);

/// A knob of a quoted operation.
struct KnobDescription {
  enum Kind { Size, SizeOrRange, Number, Flag, Choice, Text } kind;
  std::vector<std::string> names; // alternative names; the user gives one of them
  // The valid values and the default, as text for messages. If a size has no default, the user must give it.
  std::string expected, fallback;
  std::vector<std::string> values; // all values of a flag or a choice, and some common values of a number
};

/// The knobs of a quoted operation; empty if there is no such operation.
std::vector<KnobDescription> operationKnobs(mlir::MLIRContext &context, llvm::StringRef name);

/// Whether the text of a quoted operation is valid and the result of the operation is well-conditioned for all inputs.
/// Any inputs can then be used for verification.
bool isVerifiable(mlir::MLIRContext &context, llvm::StringRef text);

/// Loads the dialects that imported modules use.
void loadImportDialects(mlir::MLIRContext &context);

} // namespace heddle

#endif // HEDDLE_IMPORT_H
