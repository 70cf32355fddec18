"""Progress of a process, on disk: if a peer crashes the process, the next process repeats the unfinished row without
this peer, and continues with the rows after it."""
import json
import os
import pathlib


class Progress:
    """The file at `path`. It contains the titles of rows that are `finished`, the pairs of a row's title and a
    contestant (Heddle or a peer) that `crashed` a process, and the pair that a process is `trying`: the contestant that
    is prepared or timed now. Between two rows, `trying` is null."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        state = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.finished, self.crashed = state.get("finished", []), state.get("crashed", [])
        if state.get("trying"):  # the previous process ended while it ran this pair
            self.crashed.append(state["trying"])
            self.write(None)

    def write(self, trying):
        # The file is replaced as a whole: a signal may end the process at any time.
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps({"finished": self.finished, "crashed": self.crashed, "trying": trying}))
        os.replace(new, self.path)

    def trying(self, row, contestant):
        """Records that the contestant is prepared or timed now. Returns False, and records nothing, if it crashed a
        process when the row was measured before."""
        if [row, contestant] in self.crashed:
            return False
        self.write([row, contestant])
        return True

    def finish(self, row):
        """Records that the row is finished: all its contestants were measured, or have failed."""
        self.finished.append(row)
        self.write(None)


def interrupted(path):
    """Returns the pair that a process was trying when it ended; its progress is in the file at `path`. Returns None if
    the process was trying none, or if there is no file, because the process ended before it wrote one."""
    path = pathlib.Path(path)
    return json.loads(path.read_text())["trying"] if path.exists() else None
