"""interrupt.py HEDDLE DIR RUNNER: checks that an interrupted command of heddle does not change existing files and
creates no others. DIR is a folder for files, whose contents are deleted first. RUNNER is the path of heddle-runner."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time

heddle, folder, runner = sys.argv[1:]
temporary, output = (os.path.join(folder, name) for name in ("temporary", "output"))
library = os.path.join(output, "x.so")


def check(condition, what):
    if not condition:
        sys.exit(f"{what}: this check fails; temporary/ contains {os.listdir(temporary)}, "
                 f"and output/ contains {os.listdir(output)}")


def has_weights(process):
    """Returns whether the process has written weights to an open file in one of the two folders. The file may have no
    name there, because it was created without one or was removed."""
    for file in os.scandir(f"/proc/{process.pid}/fd"):
        try:
            if os.readlink(file.path).startswith((temporary, output)) and os.stat(file.path).st_size > 1_000_000:
                return True
        except FileNotFoundError:
            pass
    return False


def start(name, *options, wrapper=()):
    """Starts `heddle compile` with the output `name`. `wrapper` is a command that runs the command in its arguments."""
    command = [*wrapper, heddle, "compile", "linear m=4 n=4000 k=4000 weights=constant", "-o",
               os.path.join(output, name), *options]
    environment = {**os.environ, "TMPDIR": temporary}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait(process, is_there):
    """Waits until is_there(process) returns true, or the process ends."""
    while process.poll() is None and not is_there(process):
        time.sleep(0.001)


def prepare():
    """Makes the two folders, with the file `library` as the only file."""
    shutil.rmtree(folder, ignore_errors=True)
    for each in (temporary, output):
        os.makedirs(each)
    with open(library, "w") as file:
        file.write("before")


def interrupted(what, is_there, *options, by=signal.SIGTERM):
    """Sends the signal `by` to `heddle compile` when is_there(process) returns true. Checks that files are unchanged.
    `what` is the name of this check in error messages. Returns the exit status and the messages."""
    for _ in range(20):  # on a busy machine, the process may end before this script sees that is_there is true
        prepare()
        process = start("x.so", *options)
        wait(process, is_there)
        process.send_signal(by)
        messages = process.communicate()[1]
        if process.returncode != 0:
            break
    check(not os.listdir(temporary) and os.listdir(output) == ["x.so"], what)
    check(open(library).read() == "before", what)
    return process.returncode, messages


def check_interrupted(*words):
    """Sends SIGINT to a command of heddle after several durations. Checks that files are unchanged."""
    for seconds in (0.01, 0.05, 0.1, 0.2, 0.4):
        # The commands that a shell starts in the background ignore SIGINT, and so do their children.
        process = subprocess.Popen([heddle, *words], cwd=output, env={**os.environ, "TMPDIR": temporary},
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        process.communicate()
        what = f"{' '.join(words)}, interrupted after {seconds} s"
        check(process.returncode == -signal.SIGINT, f"{what}: status {process.returncode}")
        check(not os.listdir(temporary) and os.listdir(output) == ["x.so"], what)
        check(open(library).read() == "before", what)

# The process is interrupted while it writes weights to a temporary file or to a file beside the output.
for by in (signal.SIGTERM, signal.SIGKILL):
    status, _ = interrupted("weights inside", has_weights, by=by)
    check(status == -by, f"weights inside: status {status}")
status, _ = interrupted("--weights", has_weights, "--weights", os.path.join(output, "x.weights"))
check(status == -signal.SIGTERM, f"--weights: status {status}")

# For SIGQUIT, LLVM would print a stack trace and ask for a bug report. heddle must print an error of its own instead.
_, messages = interrupted("a fault", has_weights, by=signal.SIGQUIT)
check(messages.startswith("heddle: error: ended by a signal; ") and "llvm-project" not in messages, messages)

# A SIGHUP that the process ignores, as under nohup, changes nothing.
process = start("y.o", wrapper=("sh", "-c", 'trap "" HUP && exec "$@"', "sh"))
wait(process, has_weights)
process.send_signal(signal.SIGHUP)
process.communicate()
check(process.returncode == 0 and not os.listdir(temporary), f"nohup: status {process.returncode}")

# Commands that run code. Their inputs are so large that they do not end before the signal.
prepare()
layer = "linear m=2000 n=4000 k=4000"
inputs = os.path.join(folder, "inputs")
with open(inputs, "wb") as file:
    shapes = {"input": [2000, 4000], "weight": [4000, 4000]}
    header, end = {}, 0
    for name, shape in shapes.items():
        size = 4 * shape[0] * shape[1]
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header).encode()
    file.write(len(text).to_bytes(8, "little") + text)
    file.truncate(file.tell() + end)
check_interrupted("run", layer, "--input", inputs, "--output", library, "--interpret")
check_interrupted("run", layer, "--input", inputs, "--output", library, "--runner", runner)
check_interrupted("verify", layer)
check_interrupted("bench", layer, "--html", library)
shutil.rmtree(folder)
