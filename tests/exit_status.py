"""exit_status.py STATUS COMMAND...: runs the command and succeeds if its exit status is STATUS."""
import subprocess
import sys

status = subprocess.run(sys.argv[2:]).returncode
if status != int(sys.argv[1]):
    sys.exit(f"expected exit status {sys.argv[1]}, found {status}: {' '.join(sys.argv[2:])}")
