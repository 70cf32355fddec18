//===- Families.cpp - transformers' classes by family ---------------------===//

#include "Families.h"

using namespace mlir;
using namespace heddle;

/// Returns the classes of an encoder family, such as BertModel and BertForMaskedLM for the name "Bert". `others` are
/// the heads of the family besides those that all encoders have.
static Architectures encoder(StringRef name, ArrayRef<Head> others = {Head::QuestionAnswering}) {
  Architectures classes = {{(name + "Model").str(), Head::None},
                           {(name + "ForMaskedLM").str(), Head::MaskedLM},
                           {(name + "ForSequenceClassification").str(), Head::SequenceClassification},
                           {(name + "ForTokenClassification").str(), Head::TokenClassification}};
  for (Head other : others)
    classes.push_back({(name + (other == Head::PreTraining ? "ForPreTraining" : "ForQuestionAnswering")).str(), other});
  return classes;
}

/// The argument `others` of a family that has heads for question answering and for pre-training.
static constexpr Head answersAndMore[] = {Head::QuestionAnswering, Head::PreTraining};

/// Returns the classes of a decoder family. `causal` is the end of the name of the class that predicts the next token.
static Architectures decoder(StringRef name, StringRef causal = "ForCausalLM") {
  return {{(name + "Model").str(), Head::None},
          {(name + causal).str(), Head::CausalLM},
          {(name + "ForSequenceClassification").str(), Head::SequenceClassification},
          {(name + "ForTokenClassification").str(), Head::TokenClassification}};
}

/// Returns the classes of a decoder that is part of a multimodal family.
static Architectures textDecoder(StringRef name) {
  return {{(name + "TextModel").str(), Head::None},
          {(name + "ForCausalLM").str(), Head::CausalLM},
          {(name + "TextForSequenceClassification").str(), Head::SequenceClassification}};
}

ArrayRef<FamilyEntry> heddle::getFamilies() {
  static const FamilyEntry families[] = {
#define HEDDLE_FAMILY(modelType, name, prefix, ...) {modelType, make##name, prefix, __VA_ARGS__},
#include "Families.def"
#undef HEDDLE_FAMILY
  };
  return families;
}
