"""OpenVINO on the CPU with int8 matrices, which have a scale for each column. Each call quantizes the activations in
groups of elements with a common scale."""
import numpy as np
import openvino
from openvino import opset13 as operations

from . import openvino_cpu

NAME, PACKAGE = "OpenVINO int8", "openvino"


def is_matrix(node):
    """Whether the node is a constant matrix of f32."""
    return node.get_type_name() == "Constant" and len(node.get_output_shape(0)) == 2 \
        and node.get_element_type() == openvino.Type.f32


def quantize(model):
    """Replaces each constant matrix of a product by an int8 matrix times scales: OpenVINO computes such products in
    int8."""
    count = 0
    for product in model.get_ops():
        if product.get_type_name() != "MatMul" or not is_matrix(product.input_value(1).get_node()):
            continue
        weight, attributes = product.input_value(1).get_node().get_data(), product.get_attributes()
        columns = np.ascontiguousarray(weight if attributes["transpose_b"] else weight.T)
        scales = np.abs(columns).max(axis=1, keepdims=True) / 127
        stored = operations.constant(np.rint(columns / scales).astype(np.int8))
        matrix = operations.multiply(operations.convert(stored, "f32"), operations.constant(scales.astype(np.float32)))
        quantized = operations.matmul(product.input_value(0), matrix, attributes["transpose_a"], True)
        product.output(0).replace(quantized.output(0))
        count += 1
    if not count:
        raise RuntimeError("the model has no product with a constant matrix")
    model.validate_nodes_and_infer_types()
    return model


def prepare(work, threads, group, others="f32"):
    """group: the number of neighbouring elements in a row of an activation that share a scale, as text. others: the
    precision of all other operations."""
    model = quantize(openvino.Core().read_model(str(work.onnx)))
    return openvino_cpu.request(model, work, threads, {"DYNAMIC_QUANTIZATION_GROUP_SIZE": int(group),
                                                       "INFERENCE_PRECISION_HINT": others})
