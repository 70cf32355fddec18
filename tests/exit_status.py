"""exit_status.py STATUS COMMAND...: succeeds if the command ends with exactly this status."""
import subprocess
import sys

status = subprocess.run(sys.argv[2:]).returncode
if status != int(sys.argv[1]):
    sys.exit(f"expected exit status {sys.argv[1]}, found {status}: {' '.join(sys.argv[2:])}")
