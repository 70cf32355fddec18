//===- CommonFields.h - what all config.json have ---------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_COMMONFIELDS_H
#define HEDDLE_IMPORT_HUGGINGFACE_COMMONFIELDS_H

#include "Config.h"

namespace heddle {

/// Looks at the fields that every model of transformers may have: ignores those that change nothing of what a model
/// computes (names, dropout, how it is trained, how text is generated with it), and refuses values of others that do.
void readCommonFields(Config &config);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_COMMONFIELDS_H
