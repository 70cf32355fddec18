"""torch's linear layer with its weight packed in advance by MKL, as inductor packs frozen weights."""
import torch

from . import torch_eager

NAME, PACKAGE = "torch prepacked", "torch"


def prepare(work, threads):
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    x, weight, bias = work.layer()
    rows = x.shape[0]
    packed = torch.ops.mkl._mkl_reorder_linear_weight(weight, rows)
    linear = torch.ops.mkl._mkl_linear
    return torch_eager.contestant(work.activated(lambda: linear(x, packed, weight, bias, rows)))
