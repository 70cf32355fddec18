"""terminal.py COMMAND...: runs the command on a terminal and prints each state of each line that it wrote there."""
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
