//===- Family.h - what a family of models is --------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_FAMILY_H
#define HEDDLE_IMPORT_HUGGINGFACE_FAMILY_H

#include "Config.h"
#include "Layers.h"

namespace heddle {

/// What stands behind the last hidden state, by the class of transformers that `architectures` names.
enum class Head {
  None,
  SequenceClassification,
  TokenClassification,
  QuestionAnswering,
  MaskedLM,
  PreTraining,
  CausalLM
};

/// Outputs of a model, by their names.
using NamedValues = llvm::SmallVector<std::pair<llvm::StringRef, mlir::Value>>;

/// The inputs of a model of tokens, [batch, sequence] each.
struct TokenInputs {
  mlir::Value ids;
  mlir::Value mask;  // i1, true for tokens that are attended to
  mlir::Value types; // null where the model has none
};

/// A family of models: what they read of config.json, and what they compute. Made for one import: `read` comes
/// before the others, and fills in the sizes.
class Family {
public:
  virtual ~Family() = default;

  /// Reads all that the function depends on, for a model with this head; what is not supported is refused.
  virtual void read(Config &config, Head head) = 0;

  /// Refuses that sequences of one import have `low` to `high` tokens, where what is built depends on their length
  /// in a way that no range has.
  virtual void checkLengths(Config &config, int64_t low, int64_t high) {}

  /// Refuses that the state of a decoder has room for `most` tokens, where what is built depends on their number.
  virtual void checkCapacity(Config &config, int64_t most) {}

  /// The most tokens that checkCapacity accepts.
  virtual int64_t mostCapacity() const { return capacity; }

  /// The last hidden state [batch, sequence, hidden].
  virtual mlir::Value build(Layers &layers, const TokenInputs &inputs) = 0;

  /// What the head makes that `read` was told.
  virtual NamedValues buildHead(Layers &layers, const TokenInputs &inputs, mlir::Value hidden) = 0;

  int64_t vocabulary = 0;
  int64_t hidden = 0;
  int64_t positions = 0; // the most tokens of a sequence
  int64_t capacity = 0;  // the most that a decoder has positions for in its state; 0: it is no decoder
  int64_t types = 0;     // of tokens; 0: no such input
};

/// Classes of transformers, and what head they have.
using Architectures = llvm::SmallVector<std::pair<std::string, Head>>;

/// A row of the table of families.
struct FamilyEntry {
  llvm::StringRef modelType;
  std::unique_ptr<Family> (*make)();
  /// Before the names of the tensors of all but the head, in a checkpoint of a model with a head ("bert.").
  llvm::StringRef prefix;
  /// The classes of transformers that are imported; the first is what a missing `architectures` means, and what
  /// sentence-transformers pools.
  Architectures architectures;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_FAMILY_H
