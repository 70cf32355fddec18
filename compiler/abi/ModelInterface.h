//===- ModelInterface.h - what a compiled model takes and gives -*- C++ -*-===//

#ifndef HEDDLE_ABI_MODELINTERFACE_H
#define HEDDLE_ABI_MODELINTERFACE_H

#include "DeviceProgram.h"
#include "NamedSizes.h"
#include "heddle/model.h"

#include "SizeExpression.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// The arena may have any alignment; what lies in it has one of 64 bytes.
inline constexpr uint64_t arenaSlack = 63;

/// A size that each call brings.
struct InterfaceSize {
  std::string name, identifier; // the model's; the same as a C identifier
  int64_t low, high;            // both inclusive
  std::vector<int64_t> classes = {}; // the least of each class that has code of its own; empty: there is one
};

/// A size that is computed from these.
struct InterfaceDerived {
  std::string text; // "past + new + 1", of identifiers
  SizeExpression expression;
  int64_t low, high; // both inclusive
};

/// A number, or so many for each unit of a product of sizes.
struct InterfaceProduct {
  int64_t each;
  std::vector<uint8_t> powers; // [size, those that are derived behind the others]: how often it is a factor

  bool operator==(const InterfaceProduct &other) const { return each == other.each && powers == other.powers; }
};

/// So many pieces of memory of as many bytes each as the product says, rounded up to whole cache lines.
struct InterfacePieces {
  InterfaceProduct bytes;
  int64_t count = 1;
};

/// Bytes of an arena or of states: a fixed number, and pieces that depend on sizes.
struct InterfaceBytes {
  int64_t fixed = 0;
  std::vector<InterfacePieces> pieces;
  uint64_t unit = 64; // of a cache line; 256 where devices have them

  /// For sizes that are at most `highs`, each on its own; UINT64_MAX where no number holds it.
  uint64_t most(llvm::ArrayRef<int64_t> highs) const;
};

/// The least or the largest that elements of an input may be in a call.
struct InterfaceBound {
  InterfaceProduct value;
  int64_t widest;   // of all calls
  std::string text; // for people
};

struct InterfaceTensor {
  std::string name;       // the model's
  std::string identifier; // the same as a C identifier, unique in its struct
  heddle_type type;
  std::vector<int64_t> shape;               // where sizes are factors of an extent: the other factor
  std::vector<std::vector<uint8_t>> powers; // [dimension][size, as in InterfaceProduct]
  std::vector<std::string> dims;            // what extents are called, "" for one without a name
  std::optional<std::pair<InterfaceBound, InterfaceBound>> range;
  std::optional<int64_t> defaultValue;
  std::string zeroWhere; // the mask of an output whose rows are zero where it is 0
  /// By variant, where in the arena it lies if the caller's pointer is null; empty: it must not be.
  std::vector<InterfaceBytes> arenaOffsets;
  /// The caller's memory with all states: a struct heddle_state_memory, not elements.
  bool isStates = false;

  uint64_t elementSize() const { return heddle_type_size(type); }
  /// Whether the shape is the same in all calls.
  bool isFixed() const;
  /// Whether it may have no elements where sizes are at least `lows`.
  bool mayBeEmpty(llvm::ArrayRef<int64_t> lows) const;
  /// Of a tensor whose shape is fixed.
  uint64_t elementCount() const;
  bool isOptional() const { return !arenaOffsets.empty(); }
};

/// A tensor in the memory of states.
struct InterfaceState {
  InterfaceTensor tensor;
  InterfaceBytes offset; // from the memory's start
  bool isWhole;          // a call leaves another one in its place
};

/// What a caller keeps from call to call. Its memory: a header (ModelWords.h), how much of each sequence is filled, and
/// the tensors behind one another.
struct InterfaceStates {
  unsigned input = 0;           // which one the memory is
  std::optional<unsigned> past; // which one says how much is filled
  std::vector<InterfaceState> all;
  InterfaceProduct batch, capacity, rows; // capacity: 0 where there is none
  InterfaceBytes filled, size;            // from the memory's start; all of it
  /// Of code for a device: bytes of a memory there, in which the tensors lie. The caller's holds what is before them.
  std::optional<InterfaceBytes> onDevice;
  std::vector<unsigned> dims;             // of ModelInterface::dims, which its size depends on
  std::string layout; // names, types and shapes of all of them: who has the same can read the memory
};

/// A parameter of the compiled @main.
struct InterfaceArgument {
  enum Kind { Input, Output, Weights, Arena, IndexCheck, State } kind;
  unsigned index;
};

/// The code for one CPU in a library.
struct InterfaceVariant {
  std::string name, target; // "x86-64-v3"; triple, CPU and features
};

struct ModelInterface {
  std::string name, source;
  /// The best first.
  std::vector<InterfaceVariant> variants;
  std::vector<InterfaceTensor> inputs, outputs;
  /// An i32 in the arena that is not 0 after a call in which an index was outside of its dimension.
  std::optional<InterfaceTensor> indexCheck;
  std::vector<InterfaceArgument> arguments;
  std::optional<InterfaceStates> states;
  /// What lies in a range.
  std::vector<InterfaceSize> sizes;
  /// What is computed from these and is a factor of extents.
  std::vector<InterfaceDerived> derived;
  /// What each call brings, and is asked for in this order.
  std::vector<NamedSize> dims;
  /// Of the arena, but for the threads' scratch, by variant.
  std::vector<InterfaceBytes> arenaSizes;
  /// Those of a thread's scratch and the stack are the most that a variant needs.
  int64_t weightsSize = 0, weightsHash = 0, workerSize = 0, stackSize = 0;
  /// What tells a model with states from others; 0: nothing but `source`, a quoted operation.
  uint64_t identity = 0;
  /// What a device runs, where the kernels are not the host's.
  std::optional<DeviceProgram> device;
  bool positional = false, embedWeights = false, exportQuery = false;
  /// Where sizes have classes, what the code of each takes, in the order of Model::classes: sizes in its part of the
  /// ranges, and an arena of its own. Arguments, arena and check of indices of the whole mean nothing then.
  std::vector<ModelInterface> classes;
  /// Of one of these: what stands behind the names of its functions.
  std::string classSuffix;

  /// The least and the most that sizes can be, and those that are derived behind them.
  std::vector<int64_t> lows() const;
  std::vector<int64_t> highs() const;
  /// Bytes of a tensor of the largest sizes.
  uint64_t mostBytes(const InterfaceTensor &tensor) const;
  /// Bytes of an arena that are enough for one thread and the largest sizes.
  uint64_t arenaBytes() const;

  /// What stands behind the names of functions and sections of a variant; "" where there is but one, and one class.
  std::string getSuffix(unsigned variant) const;
  /// The compiled @main of a variant.
  std::string getMain(unsigned variant) const { return name + "_main" + getSuffix(variant); }
};

/// A number in types or notes as what it is in a call.
InterfaceProduct readProduct(int64_t number, const Sizes &sizes);

/// Lays out the memory of the states that were read, and finds out what it depends on.
mlir::LogicalResult layOutStates(ModelInterface &interface, mlir::func::FuncOp main, const Sizes &sizes);
/// Then puts their tensors into a memory of a device's, which wants offsets to be multiples of `alignment`.
void moveStatesToDevice(ModelInterface &interface, uint64_t alignment);

/// Reads the interface off @main, after stage plan and before stage llvm.
mlir::FailureOr<ModelInterface> readInterface(mlir::ModuleOp module);

/// Joins to the interface that of the same model compiled for a further CPU.
void addVariant(ModelInterface &interface, const ModelInterface &variant);

/// The interface of a library with code for each class of sizes, the least of which `lows` lists for each size. `whole` is
/// the model for all of them, before stage plan. An error where classes cannot share the memory of states.
mlir::FailureOr<ModelInterface> joinClasses(std::vector<ModelInterface> classes,
                                            llvm::ArrayRef<std::vector<int64_t>> lows, mlir::ModuleOp whole);

} // namespace heddle

#endif // HEDDLE_ABI_MODELINTERFACE_H
