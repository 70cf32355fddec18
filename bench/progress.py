"""Progress of a process, on disk: if a peer crashes the process, the next process repeats the unfinished row without
this peer, and continues with the rows after it."""
import json
import pathlib


class Progress:
    """The file at `path`. It contains the titles of rows that are `finished`, the pairs of a row's title and a
    contestant that `crashed` a process, and the pair that a process is `trying`. While a row is timed, `trying` is the
    contestant that was prepared last; between two rows it is null."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        state = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.finished, self.crashed = state.get("finished", []), state.get("crashed", [])
        if state.get("trying"):  # the previous process ended while it ran this pair
            self.crashed.append(state["trying"])
            self.write(None)

    def write(self, trying):
        self.path.write_text(json.dumps({"finished": self.finished, "crashed": self.crashed, "trying": trying}))

    def trying(self, row, contestant):
        """Records that the contestant is prepared now. Returns False, and records nothing, if it crashed a process when
        the row was measured before."""
        if [row, contestant] in self.crashed:
            return False
        self.write([row, contestant])
        return True

    def finish(self, row):
        """Records that the row is finished: all its contestants were measured, or have failed."""
        self.finished.append(row)
        self.write(None)
