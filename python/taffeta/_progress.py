"""Progress of a run on standard error: a bar that is redrawn, or lines where nothing is redrawn."""

import sys
import time
from typing import TextIO

WIDTH = 20
# Time between two lines where a bar cannot be redrawn [s].
LINE_INTERVAL = 10.0


def can_redraw(stream: TextIO) -> bool:
    """Says whether a carriage return takes back a line: on a terminal and in a notebook."""
    return stream.isatty() or "ipykernel" in sys.modules


class Bar:
    """Shows how far a run has come."""

    def __init__(self, is_shown: bool) -> None:
        self._stream = sys.stderr
        self._is_shown = is_shown
        self._redraws = is_shown and can_redraw(self._stream)
        self._start = self._printed = time.monotonic()
        self._first = self._frame = self._last = 0
        self._end_time: float | None = None
        self._vertices = 0
        self._length = 0

    def begin(self, frame: int, last: int, end_time: float | None) -> None:
        """Notes where the run starts and ends."""
        self._first = self._frame = frame
        self._last, self._end_time = last, end_time
        self._start = time.monotonic()

    def frame(self, frame: int, now: float, vertices: int) -> None:
        """Shows a frame that is done."""
        self._frame, self._vertices = frame, vertices
        self.show(now)

    def show(self, now: float) -> None:
        """Shows the time that the run has come to."""
        if not self._is_shown:
            return
        elapsed = time.monotonic() - self._start
        done = self._frame / self._last if self._last else 1.0
        bar = "█" * int(done * WIDTH)
        left = ""
        if self._frame > self._first:
            rate = elapsed / (self._frame - self._first)
            left = f", {1e3 * rate:.1f} ms per frame, {rate * (self._last - self._frame):.0f} s left"
        end = "" if self._end_time is None else f"{now:.3f} of {self._end_time:.3f} s, "
        text = f"{bar:<{WIDTH}} {self._frame}/{self._last} [{end}{self._vertices} vertices{left}]"
        if self._redraws:
            self._write("\r" + text.ljust(self._length))
            self._length = len(text)
        elif time.monotonic() - self._printed > LINE_INTERVAL:
            self._printed = time.monotonic()
            self._write(text + "\n")

    def close(self) -> None:
        """Ends the line of the bar."""
        if self._redraws and self._length:
            self._write("\n")
            self._length = 0

    def _write(self, text: str) -> None:
        # A stream that takes nothing any more is no reason to end a run.
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self._is_shown = self._redraws = False
