//===- OnnxTestData.h - test data in ONNX's format --------------*- C++ -*-===//
//
// The ONNX project stores a test as a folder with model.onnx and folders test_data_set_0, test_data_set_1 and so on.
// Each data set folder contains files input_0.pb, output_0.pb and so on. Each file contains a TensorProto.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_ONNXTESTDATA_H
#define HEDDLE_ONNXTESTDATA_H

#include "heddle/WeightStore.h"

#include "mlir/IR/MLIRContext.h"

#include <string>
#include <vector>

namespace heddle {

/// The paths of the data sets in the folder of a test, sorted by name; empty if the folder contains none.
std::vector<std::string> onnxTestDataSets(llvm::StringRef folder);

/// Reads <set>/<prefix>_<i>.pb for i = 0, 1 and so on, up to the first file that does not exist. A tensor without a
/// name gets the name `names`[i]. Errors name the file.
mlir::FailureOr<WeightStore> readOnnxTestTensors(mlir::MLIRContext &context, llvm::StringRef set,
                                                 llvm::StringRef prefix, llvm::ArrayRef<std::string> names);

} // namespace heddle

#endif // HEDDLE_ONNXTESTDATA_H
