"""terminal.py COMMAND...: runs the command on a terminal and prints its output. A line that the command overwrites,
such as a line of progress, is printed once for each of its texts."""
import os
import pty
import subprocess
import sys

ours, theirs = pty.openpty()
process = subprocess.Popen(sys.argv[1:], stdout=theirs, stderr=theirs)
os.close(theirs)
text = b""
try:
    while part := os.read(ours, 4096):
        text += part
except OSError:  # the other end is closed
    pass
print(text.decode().replace("\r\x1b[K", "\n").replace("\r\n", "\n"))
sys.exit(process.wait())
