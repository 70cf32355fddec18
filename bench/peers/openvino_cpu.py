"""OpenVINO on the CPU: one stream, f32, inputs and outputs bound once."""
import numpy as np
import openvino

import arrays

from . import Contestant

NAME, PACKAGE = "OpenVINO", "openvino"


def prepare(work, threads):
    return request(openvino.Core().read_model(str(work.onnx)), work, threads, {})


def name_of(port, known):
    """Returns the name of the port that is in `known`, the names in the model file. OpenVINO may give a port further
    names: if it removes a node that changes nothing, the port gets the name of this node, too."""
    return next(name for name in port.get_names() if name in known)


def request(model, work, threads, options):
    """Returns a Contestant that runs `model` on the inputs of `work`. `options` are added to the options that are set
    here, and replace those of the same name."""
    model = openvino.Core().compile_model(model, "CPU", {
        "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32"} | options)
    request = model.create_infer_request()
    for port in model.inputs:
        request.set_tensor(port, openvino.Tensor(work.inputs[name_of(port, work.inputs)], shared_memory=True))
    outputs = {}
    for port in model.outputs:
        name = name_of(port, work.expected)
        outputs[name] = arrays.empty(work.expected[name].shape, np.float32)
        request.set_tensor(port, openvino.Tensor(outputs[name], shared_memory=True))
    return Contestant(lambda: request.infer(share_outputs=True), lambda: outputs)
