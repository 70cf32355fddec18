//===- CommonFields.h - fields of every config.json -------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_COMMONFIELDS_H
#define HEDDLE_IMPORT_HUGGINGFACE_COMMONFIELDS_H

#include "Config.h"

namespace heddle {

/// Reads the fields that any model of transformers may have. Ignores fields that do not change what a model computes
/// (names, dropout, training, text generation), and refuses unsupported values of the others.
void readCommonFields(Config &config);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_COMMONFIELDS_H
