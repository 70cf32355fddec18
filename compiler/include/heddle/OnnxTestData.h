//===- OnnxTestData.h - inputs and outputs of ONNX's own tests --*- C++ -*-===//
//
// The ONNX project keeps a test as a folder: model.onnx and folders
// test_data_set_0, _1, .. with input_0.pb, output_0.pb, .., a TensorProto each.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_ONNXTESTDATA_H
#define HEDDLE_ONNXTESTDATA_H

#include "heddle/WeightStore.h"

#include "mlir/IR/MLIRContext.h"

#include <string>
#include <vector>

namespace heddle {

/// The data sets of a folder, sorted by name; none if it is not such a test.
std::vector<std::string> onnxTestDataSets(llvm::StringRef folder);

/// Reads <set>/<prefix>_<i>.pb for every i that there is. A tensor without a name gets
/// `names`[i]. Errors name the file.
mlir::FailureOr<WeightStore> readOnnxTestTensors(mlir::MLIRContext &context, llvm::StringRef set,
                                                 llvm::StringRef prefix, llvm::ArrayRef<std::string> names);

} // namespace heddle

#endif // HEDDLE_ONNXTESTDATA_H
