//===- Families.cpp - the table of families -------------------------------===//

#include "Families.h"

using namespace mlir;
using namespace heddle;

/// The classes that encoders have, "BertModel" and so on.
static Architectures encoder(StringRef name) {
  return {{(name + "Model").str(), Head::None},
          {(name + "ForMaskedLM").str(), Head::MaskedLM},
          {(name + "ForSequenceClassification").str(), Head::SequenceClassification},
          {(name + "ForTokenClassification").str(), Head::TokenClassification}};
}

ArrayRef<FamilyEntry> heddle::getFamilies() {
  static const FamilyEntry families[] = {
      {"albert", makeAlbert, "albert.", encoder("Albert")},
      {"bert", makeBert, "bert.", encoder("Bert")},
      {"distilbert", makeDistilBert, "distilbert.", encoder("DistilBert")},
      {"electra", makeElectra, "electra.", encoder("Electra")},
      {"mpnet", makeMpNet, "mpnet.", encoder("MPNet")},
      {"roberta", makeRoberta, "roberta.", encoder("Roberta")},
      {"xlm-roberta", makeRoberta, "roberta.", encoder("XLMRoberta")},
  };
  return families;
}
