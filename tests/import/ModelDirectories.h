//===- ModelDirectories.h - where Hugging Face directories lie --*- C++ -*-===//

#ifndef HEDDLE_TESTS_IMPORT_MODELDIRECTORIES_H
#define HEDDLE_TESTS_IMPORT_MODELDIRECTORIES_H

#include <string>

/// The folder of the Hugging Face directories that are kept with the tests. Ends with a slash.
inline const std::string modelDirectories = HEDDLE_TEST_DATA "/../data/huggingface/";

#endif // HEDDLE_TESTS_IMPORT_MODELDIRECTORIES_H
