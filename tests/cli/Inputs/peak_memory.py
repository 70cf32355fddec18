"""peak_memory.py FEW MANY COMMAND...: runs the command twice, with the folders FEW and MANY in place of its
argument MODEL. The folders contain a model with few weights and a model with many weights. Fails if the difference in
peak memory exceeds a fifth of the difference in size of the folders, because the command must not keep all weights in
memory. Also fails if the folders differ by less than 100 MB."""
import os
import subprocess
import sys


def peak(model):
    process = subprocess.Popen([model if word == "MODEL" else word for word in sys.argv[3:]])
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{model}: status {status}")
    return usage.ru_maxrss * 1024


def size(model):
    return sum(os.path.getsize(f"{model}/{name}") for name in os.listdir(model))


few, many = sys.argv[1:3]
more, grown = size(many) - size(few), peak(many) - peak(few)
print(f"{grown / 1e6:.0f} MB more for {more / 1e6:.0f} MB of weights")
if more < 100e6 or grown > more / 5:
    sys.exit("the peak memory grows by more than a fifth of the weights, or the difference of the folders is too small")
