//===- TensorReader.h - the bytes of tensors in an ONNX file ----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_TENSORREADER_H
#define HEDDLE_IMPORT_ONNX_TENSORREADER_H

#include "Graph.h"

#include "llvm/Support/MemoryBuffer.h"

#ifndef ONNX_ML
#define ONNX_ML 1
#endif
#ifndef ONNX_NAMESPACE
#define ONNX_NAMESPACE onnx
#endif
#include <onnx/onnx_pb.h>

namespace heddle::onnx {

/// Reads the tensors of one ONNX file. The bytes of a tensor are in the ONNX file or in a data file in the folder of
/// the ONNX file or its subfolders.
class TensorReader {
public:
  TensorReader(mlir::Location loc, llvm::StringRef modelPath, std::shared_ptr<::onnx::ModelProto> model)
      : loc(loc), modelPath(modelPath), model(std::move(model)) {}

  /// Reads a tensor; the result does not depend on the lifetime of the reader. `what` describes the tensor in error
  /// messages.
  mlir::FailureOr<TensorData> read(const ::onnx::TensorProto &tensor, const std::string &what);

  /// The data files that were read, sorted by name.
  std::vector<std::shared_ptr<llvm::MemoryBuffer>> getFiles() const;

private:
  /// Returns `data` with `size` bytes of a data file as its bytes.
  mlir::FailureOr<TensorData> readExternal(const ::onnx::TensorProto &tensor, TensorData data, int64_t size,
                                           const std::string &what);
  /// Maps a data file into memory. Emits an error if it is not in the model's folder.
  mlir::FailureOr<std::shared_ptr<llvm::MemoryBuffer>> mapFile(llvm::StringRef location,
                                                               const std::string &what);

  mlir::Location loc;
  std::string modelPath;
  std::shared_ptr<::onnx::ModelProto> model;
  std::map<std::string, std::shared_ptr<llvm::MemoryBuffer>> files; // by their names in the ONNX file
};

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_TENSORREADER_H
