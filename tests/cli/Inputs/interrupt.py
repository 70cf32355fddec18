"""interrupt.py HEDDLE DIR: checks that an interrupted `heddle compile` does not change existing files and creates no
others. DIR is a folder for files, whose contents are deleted first."""
import os
import shutil
import signal
import subprocess
import sys
import time

heddle, folder = sys.argv[1:]
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


def interrupted(what, is_there, *options, by=signal.SIGTERM):
    """Sends the signal `by` to `heddle compile` when is_there(process) returns true. Checks that files are unchanged.
    `what` is the name of this check in error messages. Returns the exit status and the messages."""
    process = start("x.so", *options)
    wait(process, is_there)
    process.send_signal(by)
    messages = process.communicate()[1]
    check(not os.listdir(temporary) and os.listdir(output) == ["x.so"], what)
    check(open(library).read() == "before", what)
    return process.returncode, messages


shutil.rmtree(folder, ignore_errors=True)
for each in (temporary, output):
    os.makedirs(each)
with open(library, "w") as file:
    file.write("before")

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
for name in ("y.o", "y.h"):
    os.remove(os.path.join(output, name))
