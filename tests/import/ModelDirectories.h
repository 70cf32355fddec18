//===- ModelDirectories.h - the folder of Hugging Face models ---*- C++ -*-===//

#ifndef HEDDLE_TESTS_IMPORT_MODELDIRECTORIES_H
#define HEDDLE_TESTS_IMPORT_MODELDIRECTORIES_H

#include <string>

/// The path of the folder that contains the Hugging Face directories of the tests. It ends with a slash.
inline const std::string modelDirectories = HEDDLE_TEST_DATA "/../data/huggingface/";

#endif // HEDDLE_TESTS_IMPORT_MODELDIRECTORIES_H
