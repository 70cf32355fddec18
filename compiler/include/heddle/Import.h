//===- Import.h - models from files and from words --------------*- C++ -*-===//
//
// An importer turns a model into one module whose public function `main` has
// static shapes, tensors in and out. Arguments carry `heddle.name`, and where
// known `heddle.dims`, `heddle.default` (optional input) and `heddle.range`
// (legal values of an index input); results carry `heddle.name`.
//
// What is wrong with a model goes to the context's diagnostics.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_H
#define HEDDLE_IMPORT_H

#include "heddle/WeightStore.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <memory>

namespace heddle {

/// Where a tensor tells a size: this dimension of an input is `factor` times as long.
struct SizePlace {
  std::string input;
  size_t dim, rank;
  int64_t factor = 1;
};

/// A dimension that a model leaves open and `--dim` did not fix.
struct OpenDim {
  std::string name;
  int64_t suggestion; // a size that would work
  std::vector<SizePlace> places;
  std::string fallback = {}; // what it is where nobody says it, as parseSizes reads it; none: somebody has to
};

/// Sizes that lie in ranges.
struct SizeOptions {
  /// The size in its range that each of them has: then the import is of fixed sizes. None: it is of all sizes.
  llvm::StringMap<int64_t> at;
  /// The part of its range that each of them lies in, both ends inclusive; none: all of it.
  llvm::StringMap<std::pair<int64_t, int64_t>> within;
  /// Which of the choices of numbers stands for the sizes (Sizes.h); 0 is the first.
  static constexpr int choices = 4;
  int primes = 0;
};

/// Consecutive sizes, both ends inclusive.
struct SizeInterval {
  int64_t low, high;
  bool isOne() const { return low == high; }
  bool operator==(const SizeInterval &other) const { return low == other.low && high == other.high; }
};

/// Sizes for which a library has code of their own: of each size of a model that lies in a range, in their order.
struct SizeClass {
  std::string name; // "sequence_length=2..8": of those that have several classes
  std::vector<SizeInterval> within;
};

struct Model {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  WeightStore weights;
  /// Where sizes lie in ranges (notes::sizes): imports the same model with other choices for them.
  std::function<mlir::FailureOr<Model>(const SizeOptions &)> importAgain = nullptr;
  /// Of sizes in ranges, all combinations of their classes, those of the last size changing fastest; none: one code for all.
  std::vector<SizeClass> classes = {};
  /// Of a model of files that keeps states: what tells it from others whatever its sizes are, a hash of what they say.
  std::function<uint64_t()> identify = nullptr;
};

struct Stands; // of the importers
struct HiddenSize;

/// A symbolic dimension that lies in a range.
struct DimRange {
  std::string name;
  int64_t low, high; // both inclusive
  /// Which follow one another from low to high, where there are several.
  std::vector<SizeInterval> classes = {};
};

/// Reads LOW..HIGH, or classes of sizes, N or LOW..HIGH, which follow one another: "1,2..8,9..512". Returns what is wrong, or "".
std::string parseSizes(llvm::StringRef text, DimRange &range);

struct ImportOptions {
  SizeOptions sizes;
  /// Symbolic dimensions that lie in ranges; `dims` does not have them.
  std::vector<DimRange> ranges;
  /// The choices of numbers that stand for sizes, of which SizeOptions::primes is one, once the import has made them.
  std::vector<std::shared_ptr<const Stands>> stands;
  /// A size that the import computes with and the model does not have (sizes/HiddenSize.h); null: none.
  std::shared_ptr<const HiddenSize> hidden;
  /// Sizes of symbolic dimensions by name.
  llvm::StringMap<int64_t> dims;
  /// Where this is one import of several of a model in ranges: those that these sizes lie in.
  llvm::StringMap<std::pair<int64_t, int64_t>> bounds;
  /// Names of others that are sums of these: what each is called in its place, "past + new".
  llvm::StringMap<std::string> sumNames;
  /// Some of these are 0, the least that a size in a range may be: then inputs may be empty.
  bool mayBeEmpty = false;
  /// A decoder of Hugging Face keeps keys and values between calls (README.md of the tools, "Decoders").
  bool decoder = false;
  /// Past and present of an ONNX file are states that are kept between calls (KeepStates.h).
  bool state = false;
  /// Names of the outputs to keep; none: all.
  std::vector<std::string> outputs;
  /// Outputs with a row for each position get zeros where the attention mask is 0 (the result
  /// attribute `heddle.zero_where` names the mask), so that these rows need not be computed.
  bool skipPadding = false;
  /// Of sizes in ranges, which outputs these are, once the import has found them: at one size others may look alike.
  std::optional<std::vector<std::string>> paddedOutputs;
  /// If set: receives the dimensions left open; when it is not empty, the
  /// import failed for that reason alone, which is a matter of usage.
  std::vector<OpenDim> *openDims = nullptr;
  /// If set: becomes true when the import failed because of how it was asked
  /// for (an unknown knob of a quoted operation, a --dim the model lacks), not
  /// because of what the model holds.
  bool *wrongUsage = nullptr;
};

/// Imports `model`: an .onnx file, a Hugging Face directory, an .mlir file or a
/// quoted operation such as 'linear m=128 n=1536 k=384'.
mlir::FailureOr<Model> importModel(mlir::MLIRContext &context, llvm::StringRef model,
                                   const ImportOptions &options = {});

/// Whether a file that holds the module of a model whose sizes lie in ranges means the same: that no number of it is a
/// multiple, by chance, of one that stands for a size, and whatever else is asked of such a file. An error says what is not so.
mlir::LogicalResult checkPrintable(const Model &model);

/// The ONNX operators that are imported, sorted.
std::vector<std::string> onnxOperators();

/// The names of the operations that can be quoted, as a list for people: "attention, ffn, ..".
std::string quotedOperations();

/// The operands of a quoted operation and its knobs, with values and defaults, a line each; none
/// if there is no such operation.
std::optional<std::string> describeOperation(mlir::MLIRContext &context, llvm::StringRef name);

/// A knob of a quoted operation.
struct KnobDescription {
  enum Kind { Size, SizeOrRange, Number, Flag, Choice, Text } kind;
  std::vector<std::string> names;  // of which one is given
  std::string expected, fallback;  // for people; a size without a fallback is to be given
  std::vector<std::string> values; // of a flag or a choice all, of a number some that are common
};

/// The knobs of a quoted operation; none if there is no such operation.
std::vector<KnobDescription> operationKnobs(mlir::MLIRContext &context, llvm::StringRef name);

/// Whether the words of a quoted operation are right, and say nothing whose result hangs on the last digits of its
/// inputs: then it can be judged on any numbers.
bool isJudgeable(mlir::MLIRContext &context, llvm::StringRef text);

/// Loads the dialects that imported modules are written in.
void loadImportDialects(mlir::MLIRContext &context);

/// For importers: reports dimensions of `options.dims` that are not among `known`
/// (an error, and wrong usage).
mlir::LogicalResult checkDimNames(mlir::Location loc, const ImportOptions &options,
                                  llvm::ArrayRef<std::string> known);

/// For importers: adds a dimension left open, with a size that would work for one of this name, or one more place of
/// it.
void addOpenDim(llvm::SmallVectorImpl<OpenDim> &open, llvm::StringRef name, SizePlace place);

/// For importers: what a dimension is called "past + new" is, where `names`, those of all open dimensions, has the terms
/// as well: `isSum` becomes true, and the size is none where one of them is open. Or what `options.dims` has. An error
/// where it has another number than the terms say.
mlir::FailureOr<std::optional<int64_t>> sizeOfDim(mlir::Location loc, const ImportOptions &options, llvm::StringRef name,
                                                  llvm::ArrayRef<std::string> names, bool &isSum);

/// For importers: fills `options.openDims` and explains on the diagnostics what to give.
mlir::LogicalResult reportOpenDims(mlir::Location loc, const ImportOptions &options,
                                   llvm::ArrayRef<OpenDim> open);

} // namespace heddle

#endif // HEDDLE_IMPORT_H
