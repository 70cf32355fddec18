//===- Family.h - the interface of model families ---------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_FAMILY_H
#define HEDDLE_IMPORT_HUGGINGFACE_FAMILY_H

#include "Config.h"
#include "Layers.h"

namespace heddle {

/// The layers after the last hidden state. The field `architectures` names a class of transformers, which determines
/// them.
enum class Head {
  None,
  SequenceClassification,
  TokenClassification,
  QuestionAnswering,
  MaskedLM,
  PreTraining,
  CausalLM
};

/// Outputs of a model with their names.
using NamedValues = llvm::SmallVector<std::pair<llvm::StringRef, mlir::Value>>;

/// The inputs of a model that computes on token ids. Each input is a tensor [batch, sequence].
struct TokenInputs {
  mlir::Value ids;
  mlir::Value mask;  // i1, true for tokens and false for padding; null for a decoder with a state
  mlir::Value types; // null if the model has no token types
};

/// A family of models, such as bert or llama. An object of this class reads the fields of config.json and builds one
/// model. `read` must be called first and sets the public members.
class Family {
public:
  virtual ~Family() = default;

  /// Reads all fields on which a model with this head depends. Emits errors for unsupported values.
  virtual void read(Config &config, Head head) = 0;

  /// Emits an error about a range of sequence lengths, `low` to `high` tokens, if different lengths in the range need
  /// different code or constants.
  virtual void checkLengths(Config &config, int64_t low, int64_t high) {}

  /// Emits an error about a state with a capacity of `maximum` tokens if the model's constants would have to change
  /// while the state fills.
  virtual void checkCapacity(Config &config, int64_t maximum) {}

  /// Returns the largest supported capacity in tokens: the largest one up to `capacity` that checkCapacity() accepts.
  virtual int64_t maxCapacity() const { return capacity; }

  /// Builds the model up to the last hidden state [batch, sequence, hidden].
  virtual mlir::Value build(Layers &layers, const TokenInputs &inputs) = 0;

  /// Builds the head that was passed to `read`, and returns its outputs by name.
  virtual NamedValues buildHead(Layers &layers, const TokenInputs &inputs, mlir::Value hidden) = 0;

  int64_t vocabulary = 0; // the number of token ids
  int64_t hidden = 0;     // the width of the hidden states
  int64_t positions = 0; // the maximum number of tokens in a sequence
  int64_t capacity = 0;  // the maximum capacity of a decoder's state in tokens; 0 for other models
  // Whether the tokens of a decoder also attend to later tokens; such a decoder has no state.
  bool bidirectional = false;
  int64_t types = 0; // the number of token types; 0 if the model has no input for token types
};

/// Classes in transformers, each with its head.
using Architectures = llvm::SmallVector<std::pair<std::string, Head>>;

/// A row of the table of families.
struct FamilyEntry {
  llvm::StringRef modelType; // the field model_type of config.json
  std::unique_ptr<Family> (*make)();
  /// In the checkpoint of a model with a head, the prefix of all tensor names except those of the head, such as
  /// "bert.".
  llvm::StringRef prefix;
  /// The supported classes of transformers. The first one has no head. It is used if `architectures` is missing and for
  /// models of sentence-transformers, which pool its result.
  Architectures architectures;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_FAMILY_H
