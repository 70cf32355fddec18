"""oneDNN's inner product, weight reordered ahead and GELU as its post-operation; called through torch."""
import torch

from . import torch_eager

NAME, PACKAGE = "oneDNN packed", "torch"


def prepare(work, threads):
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    x, weight, bias = work.tensor("input"), work.tensor("weight").t().contiguous(), work.tensor("bias")
    packed = torch.ops.mkldnn._reorder_linear_weight(weight, x.shape[0])
    linear, activation = torch.ops.mkldnn._linear_pointwise, work.knobs.get("activation", "none")
    return torch_eager.contestant(lambda: linear(x, packed, bias, activation, [], "none"))
