//===- Notes.h - what one stage leaves for a later one ----------*- C++ -*-===//
//
// Attributes `heddle.*` on functions, their arguments and results, and on operations of other dialects. Each is declared
// here, once, with who leaves it, who reads it and what happens if it is lost. Passes that do not know a note may drop
// it. Then code is slower, or compiling fails: `runStages` fails if the sizes of a module or the range of an input are
// lost. No result is ever wrong. The verifier refuses any other name, place or kind of value.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_NOTES_H
#define HEDDLE_DIALECT_NOTES_H

#include "NoteKinds.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace heddle {

/// Where notes stand.
enum class NotePlace { Module, Function, Argument, ArgumentOrResult, Linalg, Attention, Loop, Transfer, Weight };

/// A declared note, whatever its kind.
struct Note {
  llvm::StringLiteral name;
  NotePlace place;
  llvm::StringLiteral expected;
  bool (*fits)(mlir::Attribute);
  /// Whether a file that is imported may have it: what importers leave. Others are between stages only.
  bool inFiles;

  /// The declared note of this name, or null.
  static const Note *find(llvm::StringRef name);
};

template <typename T>
struct NoteOf : Note {
  using Kind = NoteKind<T>;
  constexpr NoteOf(llvm::StringLiteral name, NotePlace place, bool inFiles = false,
                   llvm::StringLiteral expected = Kind::expected)
      : Note{name, place, expected, [](mlir::Attribute value) { return Kind::read(value).has_value(); }, inFiles} {}

  mlir::NamedAttribute with(mlir::MLIRContext *context, const T &value) const {
    return {mlir::StringAttr::get(context, name), Kind::make(context, value)};
  }

protected:
  static std::optional<T> read(mlir::Attribute value) { return value ? Kind::read(value) : std::nullopt; }
};

/// A note on an operation: a module, a function or one inside.
template <typename T>
struct OpNote : NoteOf<T> {
  using NoteOf<T>::NoteOf;

  bool has(mlir::Operation *op) const { return op->hasAttr(this->name); }
  std::optional<T> get(mlir::Operation *op) const { return this->read(op->getAttr(this->name)); }
  void set(mlir::Operation *op, const T &value = T()) const {
    op->setAttr(this->name, NoteKind<T>::make(op->getContext(), value));
  }
  /// False if it was not there.
  bool remove(mlir::Operation *op) const { return bool(op->removeAttr(this->name)); }
};

/// A note on an argument of a function, or on a result until it becomes one.
template <typename T>
struct ArgNote : NoteOf<T> {
  using NoteOf<T>::NoteOf;
  using Function = mlir::FunctionOpInterface;

  bool has(Function function, unsigned i) const { return bool(function.getArgAttr(i, this->name)); }
  std::optional<T> get(Function function, unsigned i) const {
    return this->read(function.getArgAttr(i, this->name));
  }
  void set(Function function, unsigned i, const T &value = T()) const {
    function.setArgAttr(i, this->name, NoteKind<T>::make(function.getContext(), value));
  }
  /// The argument that has it, or null.
  mlir::BlockArgument argumentOf(Function function) const {
    for (mlir::BlockArgument argument : function.getArguments())
      if (has(function, argument.getArgNumber()))
        return argument;
    return {};
  }
  std::optional<T> getOfResult(Function function, unsigned i) const {
    return this->read(function.getResultAttr(i, this->name));
  }
  void setOfResult(Function function, unsigned i, const T &value = T()) const {
    function.setResultAttr(i, this->name, NoteKind<T>::make(function.getContext(), value));
  }
};

namespace notes {

// Of a model, by its importer.

/// The file or directory that the model comes from, by its name alone, or the quoted operation. For the header of the library, which else does not name it.
inline constexpr OpNote<llvm::StringRef> source{"heddle.source", NotePlace::Module, true};
/// Files with the tensors that heddle.weight names. For whoever reads the module from a file; without it a weight is
/// missing, which is an error.
inline constexpr OpNote<Strings> weightFiles{"heddle.weight_files", NotePlace::Module, true, "a list of paths"};
/// What an input or output is called. For all that deals with them by name; without it they go by their number.
inline constexpr ArgNote<llvm::StringRef> name{"heddle.name", NotePlace::ArgumentOrResult, true};
/// Names of an input's sizes, "" for one without. For the header, where a size without one is only a number.
inline constexpr ArgNote<Strings> dims{"heddle.dims", NotePlace::Argument, true, "a name for each dimension"};
/// The number that stands for an input whose pointer is null. For the library, which without it takes no null.
inline constexpr ArgNote<int64_t> defaultValue{"heddle.default", NotePlace::Argument, true};
/// The least and the largest element of an input. The library checks them, since lookups rely on it: `runStages`
/// fails if a stage loses one.
inline constexpr ArgNote<ElementRange> range{"heddle.range", NotePlace::Argument, true};
/// The name of the mask input that makes rows of this output zero where it is 0. For the header, which tells.
inline constexpr ArgNote<llvm::StringRef> zeroWhere{"heddle.zero_where", NotePlace::ArgumentOrResult, true};
/// What a state is called, on the argument that it is before a call and on the result that it is after it. For all that
/// call the model again and again: both are one memory of the caller (States.h). Without it they are an input and an
/// output.
inline constexpr ArgNote<llvm::StringRef> state{"heddle.state", NotePlace::ArgumentOrResult, true};
/// The input that says how many rows of each sequence are filled before the call. For the library, which checks it by
/// what the state's header says, and takes that where the pointer is null; without it nobody says where rows go.
inline constexpr ArgNote<Mark> statePast{"heddle.state_past", NotePlace::Argument, true};

/// The sizes that lie in a range. For all stages: without it, what stands for them is taken for the sizes, so stages
/// keep it (`runStages` fails if one loses it).
inline constexpr OpNote<SizeRanges> sizes{"heddle.sizes", NotePlace::Module, true};
/// What is computed from these and is a size, too (DerivedSizes.h, by which they are read and set). Like them.
inline constexpr OpNote<DerivedSizeNotes> derived{"heddle.derived", NotePlace::Module, true};

// From stage fuse on.

/// The result, an i32, that is not 0 after a call in which an index was outside of its dimension, by
/// heddle-check-indices. For the library, which keeps it to itself and returns a status; without it the result is an
/// output like others.
inline constexpr ArgNote<Mark> indexCheck{"heddle.index_check", NotePlace::ArgumentOrResult};
/// What states have in common, by heddle-check-states. For the library, which has no states without it.
inline constexpr OpNote<StateSizes> stateSizes{"heddle.state_sizes", NotePlace::Module};
/// A call leaves another state in its place, instead of new rows behind the old ones, by heddle-check-states. For the
/// library, which clears it where a sequence begins, and lets no call go back to the middle of one.
inline constexpr ArgNote<Mark> stateWhole{"heddle.state_whole", NotePlace::Argument};

// From stage kernels on.

/// A kernel, by heddle-outline-kernels: strategies are for these, LLVM does not inline them, a profile shows them.
/// Without it, the function is lowered without a strategy.
inline constexpr OpNote<Mark> kernel{"heddle.kernel", NotePlace::Function};
/// Bytes that are booleans, by heddle-outline-kernels. For the header's type.
inline constexpr ArgNote<Mark> boolean{"heddle.bool", NotePlace::ArgumentOrResult};
/// The same of a weight's elements, as the store has them. For the weight table.
inline constexpr OpNote<Mark> booleanWeight{"heddle.bool_weight", NotePlace::Weight};
/// Which strategy a kernel has, with the values of its knobs, by the step that tiles. For the step that vectorises,
/// which fails without it.
inline constexpr OpNote<mlir::DictionaryAttr> chosen{"heddle.chosen", NotePlace::Function};

/// What a file says of the strategy that it is (ParseStrategy.cpp); no model has it.
inline constexpr OpNote<mlir::DictionaryAttr> strategy{"heddle.strategy", NotePlace::Module};

// From lowerings to vectorisers: how code becomes fast.

/// An input whose element the body does not use is brought into the cache instead of being read, the one that the
/// value says (memref.prefetch's locality). Without it that input is read in vain.
inline constexpr OpNote<int64_t> prefetch{"heddle.prefetch", NotePlace::Linalg};
/// Attention of one task: lanes of vectors in which its heads are to lie side by side. Without it nothing makes vectors
/// of the attention, and bufferization refuses it.
inline constexpr OpNote<int64_t> headLanes{"heddle.head_lanes", NotePlace::Attention};
/// What is in the loop hardly ever runs, and is to be little code.
inline constexpr OpNote<Mark> rare{"heddle.rare", NotePlace::Loop};
/// Vectorised a row at a time, as memory gives them; else tiles of rows are.
inline constexpr OpNote<Mark> rowByRow{"heddle.row_by_row", NotePlace::Linalg};
/// Results are to be written past the caches, by the lowering of a norm or softmax. For heddle-stream-results, which
/// finds out where that can be done, and takes it off.
inline constexpr OpNote<Mark> streamResults{"heddle.stream_results", NotePlace::Function};
/// This write goes past the caches, its address being a multiple of the vector, by heddle-stream-results. For
/// heddle-lower-vectors, which else makes an ordinary store.
inline constexpr OpNote<Mark> nontemporal{"heddle.nontemporal", NotePlace::Transfer};

// From stage bufferize on: who passes what to whom. What reads these, and does not find them, fails.

/// Where a weight lies in the block, by heddle-assign-weights. For bufferization.
inline constexpr OpNote<int64_t> weightOffset{"heddle.offset", NotePlace::Weight};
/// What the block of weights consists of (WeightTable.h), and its size in bytes, by heddle-assign-weights. For whoever
/// writes the block.
inline constexpr OpNote<mlir::ArrayAttr> weightTable{"heddle.weight_table", NotePlace::Module};
inline constexpr OpNote<int64_t> weightsSize{"heddle.weights_size", NotePlace::Module};
/// The argument of @main that is the block of weights, by heddle-assign-weights.
inline constexpr ArgNote<Mark> weights{"heddle.weights", NotePlace::Argument};
/// Which result of the model the argument is the destination of, by heddle-bind-results.
inline constexpr ArgNote<int64_t> result{"heddle.result", NotePlace::Argument};
/// Bytes of the arena without workers' scratch, and bytes of scratch for each worker, by heddle-plan-memory. For the
/// library's entry points.
inline constexpr OpNote<ArenaBytes> arenaSize{"heddle.arena_size", NotePlace::Module};
inline constexpr OpNote<int64_t> workerSize{"heddle.worker_size", NotePlace::Module};
/// The argument that is the whole arena, of @main and of kernels that share work among threads, by
/// heddle-plan-memory. A kernel's only view of it is the first worker's scratch.
inline constexpr ArgNote<Mark> arena{"heddle.arena", NotePlace::Argument};
/// A kernel's own part of the arena, by heddle-plan-memory. For `verify --stages`, which makes sure that the kernel
/// reads nothing there that it did not write.
inline constexpr ArgNote<Mark> scratch{"heddle.scratch", NotePlace::Argument};
/// Where in the arena an input or output lies whose pointer is null, by heddle-plan-memory. For the library, which
/// without it takes no null.
inline constexpr ArgNote<ArenaBytes> arenaOffset{"heddle.arena_offset", NotePlace::Argument};

} // namespace notes

} // namespace heddle

#endif // HEDDLE_DIALECT_NOTES_H
