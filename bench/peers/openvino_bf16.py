"""OpenVINO on the CPU with bf16 products."""
import openvino

from . import openvino_cpu

NAME, PACKAGE = "OpenVINO bf16", "openvino"


def prepare(work, threads):
    return openvino_cpu.request(openvino.Core().read_model(str(work.onnx)), work, threads,
                                {"INFERENCE_PRECISION_HINT": "bf16"})
