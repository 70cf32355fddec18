"""sentence-transformers with its three backends. The package sorts sentences by length itself. Models are in f32; the
package exports them from the local directory."""
import onnxruntime
import torch
from sentence_transformers import SentenceTransformer

from . import Encoder


def exported(model, exports, backend):
    """Returns the directory with the model for the backend. Exports the model unless an earlier run has done so."""
    folder = exports / backend
    if not (folder / "done").exists():
        SentenceTransformer(str(model), backend=backend, model_kwargs={"export": True}).save_pretrained(str(folder))
        (folder / "done").touch()
    return folder


def onnx_options(threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    return options


def prepare(model, exports, threads):
    torch.set_num_threads(threads)
    backends = {
        "torch": (model, {"torch_dtype": torch.float32}),
        "onnx": (exported(model, exports, "onnx"), {"provider": "CPUExecutionProvider", "export": False,
                                                    "session_options": onnx_options(threads)}),
        "openvino": (exported(model, exports, "openvino"), {"export": False, "ov_config": {
            "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32"}})}
    encoders = {}
    for backend, (folder, options) in backends.items():
        loaded = SentenceTransformer(str(folder), backend=backend, device="cpu", model_kwargs=options)
        encoders[f"sentence_transformers_{backend}"] = Encoder(
            lambda sentences, batch, loaded=loaded: loaded.encode(sentences, batch_size=batch, show_progress_bar=False))
    return encoders
