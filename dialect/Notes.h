//===- Notes.h - annotations between stages ---------------------*- C++ -*-===//
//
// Annotations are attributes `heddle.*` on modules, functions, their arguments and results, and on operations. Each
// annotation is declared once. Its comment states its meaning and, unless they are obvious, the code that sets or reads
// it and the effect of losing it. Passes that do not know an annotation may drop it. Then the code is slower, or
// compilation fails: `runStages` fails if the sizes of a module or the range of an input are lost. No result is ever
// wrong. The verifier rejects an annotation that is not declared, that is at a wrong place, or whose value has a wrong
// form.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_NOTES_H
#define HEDDLE_DIALECT_NOTES_H

#include "NoteKinds.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace heddle {

/// The kinds of operations, arguments and results that an annotation may be on.
enum class NotePlace { Module, Function, Argument, ArgumentOrResult, Linalg, Attention, Loop, Transfer, Weight };

/// A declared annotation, independent of its value type.
struct Note {
  llvm::StringLiteral name;
  NotePlace place;
  llvm::StringLiteral expected;  // the form of the value in words, for error messages
  bool (*fits)(mlir::Attribute); // whether an attribute has this form
  /// Whether an imported .mlir file may contain the annotation. Importers set such annotations. Every other
  /// annotation is set by one stage for a later one, except `strategy`, which only files of strategies contain.
  bool inFiles;

  /// Returns the declared annotation with this name, or null.
  static const Note *find(llvm::StringRef name);
};

/// An annotation whose value has the type T.
template <typename T>
struct NoteOf : Note {
  using Kind = NoteKind<T>;
  constexpr NoteOf(llvm::StringLiteral name, NotePlace place, bool inFiles = false,
                   llvm::StringLiteral expected = Kind::expected)
      : Note{name, place, expected, [](mlir::Attribute value) { return Kind::read(value).has_value(); }, inFiles} {}

  /// Returns the annotation with this value as an attribute.
  mlir::NamedAttribute with(mlir::MLIRContext *context, const T &value) const {
    return {mlir::StringAttr::get(context, name), Kind::make(context, value)};
  }

protected:
  static std::optional<T> read(mlir::Attribute value) { return value ? Kind::read(value) : std::nullopt; }
};

/// An annotation of an operation: a module, a function or an operation inside a function.
template <typename T>
struct OpNote : NoteOf<T> {
  using NoteOf<T>::NoteOf;

  bool has(mlir::Operation *op) const { return op->hasAttr(this->name); }
  std::optional<T> get(mlir::Operation *op) const { return this->read(op->getAttr(this->name)); }
  void set(mlir::Operation *op, const T &value = T()) const {
    op->setAttr(this->name, NoteKind<T>::make(op->getContext(), value));
  }
  /// Returns false if the annotation was absent.
  bool remove(mlir::Operation *op) const { return bool(op->removeAttr(this->name)); }
};

/// An annotation of a function argument, or of a result until the result becomes an argument.
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
  /// Returns the first argument that has the annotation, or null.
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

// Annotations of a model, set by its importer.

/// The name (without its path) of the file or directory that the model was imported from, or the quoted operation. The
/// library's header contains it.
inline constexpr OpNote<llvm::StringRef> source{"heddle.source", NotePlace::Module, true};
/// The files that contain the tensors of heddle.weight, read when a module is imported from an .mlir file. Without the
/// annotation, a module with a heddle.weight is rejected.
inline constexpr OpNote<Strings> weightFiles{"heddle.weight_files", NotePlace::Module, true, "a list of paths"};
/// The name of an input or output. Without the annotation, the input or output is identified by its position.
inline constexpr ArgNote<llvm::StringRef> name{"heddle.name", NotePlace::ArgumentOrResult, true};
/// The names of an input's dimensions, "" for a dimension without a name. In the library's header, a fixed dimension
/// without a name appears as a number.
inline constexpr ArgNote<Strings> dims{"heddle.dims", NotePlace::Argument, true, "a name for each dimension"};
/// The value of all elements of an input whose pointer is null. Without the annotation, a null pointer is an error.
inline constexpr ArgNote<int64_t> defaultValue{"heddle.default", NotePlace::Argument, true};
/// The smallest and the largest allowed element of an input. The library checks the elements at run time because table
/// lookups rely on these bounds; therefore `runStages` fails if a stage loses the annotation.
inline constexpr ArgNote<ElementRange> range{"heddle.range", NotePlace::Argument, true};
/// On an output: the name of the input that is its mask. Where an element of the mask is 0, the output's row at the
/// same position is zero. The library's header documents the mask.
inline constexpr ArgNote<llvm::StringRef> zeroWhere{"heddle.zero_where", NotePlace::ArgumentOrResult, true};
/// The name of a state, on the argument that holds its value before a call and on the result that holds its value after
/// the call. The argument and the result share one block of memory, which the caller keeps between calls (States.h).
/// Without the annotation, they are an ordinary input and an ordinary output.
inline constexpr ArgNote<llvm::StringRef> state{"heddle.state", NotePlace::ArgumentOrResult, true};
/// Marks the input that contains the number of filled rows of each sequence before the call. The library compares these
/// numbers with the numbers in the header of the states' memory, and uses the latter if the pointer of the input is
/// null. Without the annotation, the library cannot determine the position of new rows.
inline constexpr ArgNote<Mark> statePast{"heddle.state_past", NotePlace::Argument, true};
/// The names of inputs of the model's file that the states or the input with notes::statePast replace. The commands
/// refuse an input file that contains such a tensor; without the annotation, they ignore the tensor.
inline constexpr OpNote<Strings> replacedInputs{"heddle.replaced_inputs", NotePlace::Module, true, "a list of names"};

/// The sizes that lie in ranges. Without the annotation, later stages would treat placeholders as fixed sizes;
/// therefore `runStages` fails if a stage loses the annotation.
inline constexpr OpNote<SizeRanges> sizes{"heddle.sizes", NotePlace::Module, true};
/// Sizes that are computed from other sizes (read and set by the functions of DerivedSizes.h). `runStages` fails if a
/// stage loses the annotation.
inline constexpr OpNote<DerivedSizeNotes> derived{"heddle.derived", NotePlace::Module, true};

// Annotations from stage fuse on.

/// Marks the i32 result of the index check, which replaces heddle.checked_index: the result is nonzero after a call in
/// which an index that the model computed was out of bounds. Set by heddle-check-indices. The library does not expose
/// this result but returns a status. Without the annotation, the result is an ordinary output.
inline constexpr ArgNote<Mark> indexCheck{"heddle.index_check", NotePlace::ArgumentOrResult};
/// The sizes that all states share. Set by heddle-check-states. Without the annotation, the library has no states.
inline constexpr OpNote<StateSizes> stateSizes{"heddle.state_sizes", NotePlace::Module};
/// Marks a state that each call replaces as a whole; to other states each call appends rows. Set by
/// heddle-check-states. The library zeroes a replaced state at the beginning of a sequence, and no call can go back to
/// the middle of a sequence.
inline constexpr ArgNote<Mark> stateReplaced{"heddle.state_replaced", NotePlace::Argument};

// Annotations from stage kernels on.

/// Marks a kernel. Set by heddle-outline-kernels. Strategies apply to kernels, LLVM does not inline kernels, and
/// profiles list them. Without the annotation, the function is lowered without a strategy.
inline constexpr OpNote<Mark> kernel{"heddle.kernel", NotePlace::Function};
/// Marks an i8 argument or result whose elements are booleans. Set by heddle-outline-kernels. The header declares its
/// elements as booleans in C.
inline constexpr ArgNote<Mark> boolean{"heddle.bool", NotePlace::ArgumentOrResult};
/// Marks an i8 weight whose stored elements are booleans. Set by heddle-outline-kernels, read by the weight table.
inline constexpr OpNote<Mark> booleanWeight{"heddle.bool_weight", NotePlace::Weight};
/// The strategy of a kernel and the values of its knobs. Set when the kernel is tiled and read when it is vectorized.
/// Without the annotation, vectorization fails.
inline constexpr OpNote<mlir::DictionaryAttr> chosen{"heddle.chosen", NotePlace::Function};

/// The declaration of a strategy in its file (ParseStrategy.cpp). It does not occur in models.
inline constexpr OpNote<mlir::DictionaryAttr> strategy{"heddle.strategy", NotePlace::Module};

// Hints from lowerings to vectorizers about how to make code fast.

/// On an operation with inputs that its body does not use: these inputs are prefetched instead of being read. The value
/// is the locality hint of memref.prefetch, which selects the cache. Without the annotation, these inputs are loaded
/// although nothing uses them.
inline constexpr OpNote<int64_t> prefetch{"heddle.prefetch", NotePlace::Linalg};
/// On a heddle.attention in the body of an scf.forall, where it computes one block of queries of one sequence, with one
/// head in each vector lane: the number of lanes. Without the annotation, this attention is not vectorized, and
/// bufferization rejects it.
inline constexpr OpNote<int64_t> headLanes{"heddle.head_lanes", NotePlace::Attention};
/// Marks a loop that hardly ever runs, so its code is kept small. Without the annotation, the code is larger.
inline constexpr OpNote<Mark> rare{"heddle.rare", NotePlace::Loop};
/// On a loop that copies tiles into the memory of a workgroup: the number of buffers of each tile, `stages`. While a
/// step computes with the tiles in one buffer, the copies for the next `stages` - 1 steps are under way. Read by
/// heddle-pipeline-tiles. Without the annotation, each step waits for its own copies.
inline constexpr OpNote<int64_t> stages{"heddle.stages", NotePlace::Loop};
/// Marks an operation that is vectorized row by row in memory order. Without the annotation, the rows of a tile are
/// vectorized together.
inline constexpr OpNote<Mark> rowByRow{"heddle.row_by_row", NotePlace::Linalg};
/// Requests non-temporal stores of the results. Set by the lowering of norm and softmax. heddle-stream-results finds
/// the stores for which this is possible, and removes the annotation.
inline constexpr OpNote<Mark> streamResults{"heddle.stream_results", NotePlace::Function};
/// Marks a write as a non-temporal store; its address is a multiple of the vector's size. Set by heddle-stream-results.
/// Without the annotation, heddle-lower-vectors emits a normal store.
inline constexpr OpNote<Mark> nontemporal{"heddle.nontemporal", NotePlace::Transfer};

// Annotations from stage bufferize on, about weights, the arena, and the arguments of kernels and of @main. Unless a
// comment below says otherwise, the code that reads such an annotation fails if the annotation is absent.

/// The offset in bytes of a weight in the block of weights. Set by heddle-assign-weights, read by bufferization.
inline constexpr OpNote<int64_t> weightOffset{"heddle.offset", NotePlace::Weight};
/// weightTable describes the contents of the block of weights (WeightTable.h); weightsSize is the size of the block in
/// bytes. Set by heddle-assign-weights, read by the code that writes the block.
inline constexpr OpNote<mlir::ArrayAttr> weightTable{"heddle.weight_table", NotePlace::Module};
inline constexpr OpNote<int64_t> weightsSize{"heddle.weights_size", NotePlace::Module};
/// Marks the argument of @main that is the block of weights. Set by heddle-assign-weights.
inline constexpr ArgNote<Mark> weights{"heddle.weights", NotePlace::Argument};
/// The index of the model's result that is written to this argument. Set by heddle-bind-results.
inline constexpr ArgNote<int64_t> result{"heddle.result", NotePlace::Argument};
/// arenaSize is the size of the arena in bytes without the workers' scratch memory; workerSize is the size in bytes of
/// the scratch memory of each worker. Set by heddle-plan-memory, read when the library's entry points are generated.
inline constexpr OpNote<ArenaBytes> arenaSize{"heddle.arena_size", NotePlace::Module};
inline constexpr OpNote<int64_t> workerSize{"heddle.worker_size", NotePlace::Module};
/// Marks the argument that is the whole arena, in @main and in kernels that share work among threads. Set by
/// heddle-plan-memory. In a kernel, this pass creates at most one view of the argument: the scratch memory of the first
/// worker. The scratch memory of each other worker follows that of the worker before it, and heddle.dispatch passes it
/// to the worker's tasks.
inline constexpr ArgNote<Mark> arena{"heddle.arena", NotePlace::Argument};
/// Marks an argument that is a part of the arena for a single kernel. Set by heddle-plan-memory. `verify --stages` uses
/// this annotation to find the scratch memory of a kernel, and verifies that the kernel reads only those bytes of the
/// scratch memory that it has written.
inline constexpr ArgNote<Mark> scratch{"heddle.scratch", NotePlace::Argument};
/// On a kernel that computes tiles: the number of registers for each thread that suffices for its code. Set by
/// heddle-tiles-to-lanes. From this number, the conversion to PTX computes how many workgroups a multiprocessor
/// should run at a time. Without the annotation, the conversion requires only one workgroup.
inline constexpr OpNote<int64_t> laneRegisters{"heddle.lane_registers", NotePlace::Function};
/// The offset in the arena of the memory that replaces an input or output whose pointer is null. Set by
/// heddle-plan-memory. Without the annotation, the library accepts no null pointer.
inline constexpr ArgNote<ArenaBytes> arenaOffset{"heddle.arena_offset", NotePlace::Argument};

} // namespace notes

} // namespace heddle

#endif // HEDDLE_DIALECT_NOTES_H
