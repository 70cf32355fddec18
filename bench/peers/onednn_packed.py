"""oneDNN's inner product, called through torch. The weight is reordered in advance, and the activation is a
post-operation."""
import torch

from . import torch_eager

NAME, PACKAGE = "oneDNN packed", "torch"
# oneDNN's names of an activation and of its variant, for activations to which it gives another name than Heddle.
POST = {"silu": ("swish", "none"), "gelu_tanh": ("gelu", "tanh")}


def prepare(work, threads):
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    x, weight, bias = work.layer()
    packed = torch.ops.mkldnn._reorder_linear_weight(weight, x.shape[0])
    linear = torch.ops.mkldnn._linear_pointwise
    activation, formula = POST.get(work.activation, (work.activation, "none"))
    return torch_eager.contestant(lambda: linear(x, packed, bias, activation, [], formula))
