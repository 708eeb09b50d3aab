"""Server-sent events out of bytes, however the network cuts them. No I/O here."""

import codecs
from typing import NamedTuple


class Message(NamedTuple):
    """One event as sent: `id` is its text or None, `event` its type, `data` its lines joined."""

    id: str | None
    event: str
    data: str


class SseParser:
    """Feed it chunks of any size; it gives the messages that are complete.

    Follows the event-stream grammar of the HTML standard: lines end in LF, CR or CRLF, a blank line
    ends a message, lines opening with a colon are comments. Bytes that are not UTF-8 become U+FFFD.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._line: list[str] = []
        self._after_cr = False
        self._id: str | None = None
        self._event = ""
        self._data: list[str] = []
        self._first = True

    def feed(self, chunk: bytes) -> list[Message]:
        text = self._decoder.decode(chunk)
        if self._first and text:
            text = text.removeprefix("\ufeff")
            self._first = False
        if self._after_cr and text:
            text = text.removeprefix("\n")
            self._after_cr = False
        if text.endswith("\r"):
            self._after_cr = True
        messages: list[Message] = []
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for end, part in enumerate(lines, 1):
            self._line.append(part)
            if end < len(lines):
                line, self._line = "".join(self._line), []
                message = self._take(line)
                if message is not None:
                    messages.append(message)
        return messages

    def _take(self, line: str) -> Message | None:
        if not line:
            message = Message(self._id, self._event or "message", "\n".join(self._data))
            complete = bool(self._data)
            self._id, self._event, self._data = None, "", []
            return message if complete else None
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id":
            self._id = value
        return None
