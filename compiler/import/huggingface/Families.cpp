//===- Families.cpp - the table of families -------------------------------===//

#include "Families.h"

using namespace mlir;
using namespace heddle;

/// The classes that encoders have, "BertModel" and so on; and others that some have.
static Architectures encoder(StringRef name, ArrayRef<Head> others = {Head::QuestionAnswering}) {
  Architectures classes = {{(name + "Model").str(), Head::None},
                           {(name + "ForMaskedLM").str(), Head::MaskedLM},
                           {(name + "ForSequenceClassification").str(), Head::SequenceClassification},
                           {(name + "ForTokenClassification").str(), Head::TokenClassification}};
  for (Head other : others)
    classes.push_back({(name + (other == Head::PreTraining ? "ForPreTraining" : "ForQuestionAnswering")).str(), other});
  return classes;
}

static constexpr Head answersAndMore[] = {Head::QuestionAnswering, Head::PreTraining};

/// Those of decoders.
static Architectures decoder(StringRef name, StringRef causal = "ForCausalLM") {
  return {{(name + "Model").str(), Head::None},
          {(name + causal).str(), Head::CausalLM},
          {(name + "ForSequenceClassification").str(), Head::SequenceClassification},
          {(name + "ForTokenClassification").str(), Head::TokenClassification}};
}

ArrayRef<FamilyEntry> heddle::getFamilies() {
  static const FamilyEntry families[] = {
      {"albert", makeAlbert, "albert.", encoder("Albert", answersAndMore)},
      {"bert", makeBert, "bert.", encoder("Bert", answersAndMore)},
      {"distilbert", makeDistilBert, "distilbert.", encoder("DistilBert")},
      {"electra", makeElectra, "electra.", encoder("Electra", answersAndMore)},
      {"gemma", makeGemma, "model.", decoder("Gemma")},
      {"gemma2", makeGemma2, "model.", decoder("Gemma2")},
      {"gpt2", makeGpt2, "transformer.", decoder("GPT2", "LMHeadModel")},
      {"gpt_neox", makeGptNeox, "gpt_neox.", decoder("GPTNeoX")},
      {"llama", makeLlama, "model.", decoder("Llama")},
      {"mistral", makeMistral, "model.", decoder("Mistral")},
      {"modernbert", makeModernBert, "model.", encoder("ModernBert")},
      {"mpnet", makeMpNet, "mpnet.", encoder("MPNet")},
      {"nomic_bert", makeNomicBert, "nomic_bert.", encoder("NomicBert", {})},
      {"phi3", makePhi3, "model.", decoder("Phi3")},
      {"qwen2", makeQwen2, "model.", decoder("Qwen2")},
      {"qwen3", makeQwen3, "model.", decoder("Qwen3")},
      {"roberta", makeRoberta, "roberta.", encoder("Roberta")},
      {"smollm3", makeSmolLM3, "model.", decoder("SmolLM3")},
      {"xlm-roberta", makeRoberta, "roberta.", encoder("XLMRoberta")},
  };
  return families;
}
