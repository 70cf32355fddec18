"""oneDNN's inner product, with the weight reordered in advance and GELU as a post-operation; called through torch."""
import torch

from . import torch_eager

NAME, PACKAGE = "oneDNN packed", "torch"
POST = {"silu": ("swish", "none"), "gelu_tanh": ("gelu", "tanh")}  # oneDNN's names of activations and of their variants


def prepare(work, threads):
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    x, weight, bias = work.layer()
    packed = torch.ops.mkldnn._reorder_linear_weight(weight, x.shape[0])
    linear = torch.ops.mkldnn._linear_pointwise
    activation, formula = POST.get(work.activation, (work.activation, "none"))
    return torch_eager.contestant(lambda: linear(x, packed, bias, activation, [], formula))
