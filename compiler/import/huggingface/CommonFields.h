//===- CommonFields.h - fields of every config.json -------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_COMMONFIELDS_H
#define HEDDLE_IMPORT_HUGGINGFACE_COMMONFIELDS_H

#include "Config.h"

namespace heddle {

/// Reads the fields that config.json may contain for any model in transformers. Ignores fields that do not change the
/// results of a model (names, dropout, training, text generation), and refuses unsupported values of all other fields.
void readCommonFields(Config &config);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_COMMONFIELDS_H
