import os
from pathlib import Path

from client_cli.sit import typed_lines


def test_lines_come_as_they_are_typed_whatever_the_pieces() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, encoding="utf-8") as source:
        lines = typed_lines(source)
        os.write(writing, "say ¡ole! ♠\nqs".encode())
        assert next(lines) == "say ¡ole! ♠"
        os.write(writing, b"\nlast")
        assert next(lines) == "qs"
        os.close(writing)
        assert list(lines) == ["last"]


def test_a_file_is_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "typed").write_text("one\ntwo\n")
    with (tmp_path / "typed").open() as source:
        assert list(typed_lines(source)) == ["one", "two"]
