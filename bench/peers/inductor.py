"""torch.compile with inductor. Weights are frozen, so they are packed in advance; attention is torch's SDPA."""
import torch
import torch._inductor.config

from . import Contestant

NAME, PACKAGE = "torch inductor", "torch"


def prepare(work, threads):
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    torch._inductor.config.freezing = True
    module, arguments = work.torch_function()
    compiled, last = torch.compile(module), []
    name = next(iter(work.expected))

    def call():
        last[:] = [compiled(*arguments)]
    return Contestant(call, lambda: {name: last[0].numpy()})
