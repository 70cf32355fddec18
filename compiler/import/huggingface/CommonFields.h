//===- CommonFields.h - fields of every config.json -------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_COMMONFIELDS_H
#define HEDDLE_IMPORT_HUGGINGFACE_COMMONFIELDS_H

#include "Config.h"

namespace heddle {

/// Reads the fields that config.json may contain for any model in transformers. Marks as known (Config::ignore) those
/// that do not change the results of a model, such as names, dropout, training and text generation, and those that only
/// the code of some heads reads. Refuses `pruned_heads` unless it is empty, and `add_cross_attention` and
/// `is_encoder_decoder` if they are true.
void readCommonFields(Config &config);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_COMMONFIELDS_H
