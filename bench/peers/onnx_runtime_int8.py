"""ONNX Runtime with its dynamic quantization in the most accurate form: int8 matrices with a scale for each column."""
import onnxruntime.quantization

from . import onnx_runtime

NAME, PACKAGE = "ONNX Runtime int8", "onnxruntime"


def prepare(work, threads):
    model = work.folder / "onnx_runtime_int8.onnx"
    if not model.exists():
        onnxruntime.quantization.quantize_dynamic(
            str(work.onnx), str(model), per_channel=True, op_types_to_quantize=["MatMul"],
            weight_type=onnxruntime.quantization.QuantType.QInt8)
    return onnx_runtime.session(model, work, threads)
