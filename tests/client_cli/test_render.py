"""Pictures as golden text. After a wanted change: `make golden`, then read the difference."""

from collections.abc import Callable

import pytest
from rich.console import Console
from rich.style import Style
from rich.text import Text

from client_cli import i18n
from client_cli.look import Look
from client_cli.model import Seat, View
from client_cli.render import panels
from client_cli.render.canvas import colourless, fit, row
from client_cli.render.scene import Scene, instant
from client_cli.render.seats import around
from client_cli.render.table import draw
from tests.client_cli import scenes

SIZES = [(80, 24), (100, 30), (160, 50)]
LOG = [
    "Grace Hopper leads 9♣.",
    "Blaise plays 10♣.",
    "Emmy plays 9♣. It meets its twin from Grace Hopper: both are cancelled.",
    "Zoë 🎲 discards Q♠.",
]
Golden = Callable[[str, str], None]


def scene(view: View, **given: object) -> Scene:
    return Scene(view, now=instant(view.now), log=LOG, **given)  # type: ignore[arg-type]


def text(lines: list[Text]) -> str:
    return "".join(f"{line.plain.rstrip()}\n" for line in lines)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("players", [4, 8, 11])
def test_my_turn(golden: Golden, players: int, size: tuple[int, int]) -> None:
    lines = draw(scene(scenes.playing(players), cursor=1, note="Enter plays J♣."), *size)
    assert len(lines) == size[1]
    assert max(line.cell_len for line in lines) <= size[0]
    golden(f"playing-{players}-{size[0]}x{size[1]}.txt", text(lines))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("players", [4, 8, 11])
def test_choosing_the_pass(golden: Golden, players: int, size: tuple[int, int]) -> None:
    lines = draw(scene(scenes.full_hand(players), cursor=2, chosen=frozenset({0, 2})), *size)
    assert len(lines) == size[1]
    assert max(line.cell_len for line in lines) <= size[0]
    golden(f"passing-{players}-{size[0]}x{size[1]}.txt", text(lines))


def test_letters_only(golden: Golden) -> None:
    view = scenes.playing(8)
    for seat in view.seats:
        seat.name = (seat.name or "").encode("ascii", "ignore").decode()
    drawn = text(draw(Scene(view, look=Look(ascii=True), now=instant(view.now)), 80, 24))
    assert drawn.isascii()
    golden("playing-8-ascii.txt", drawn)


def test_in_spanish(golden: Golden) -> None:
    i18n.set_language("es")
    golden("playing-8-es.txt", text(draw(scene(scenes.playing(8)), 80, 24)))


@pytest.mark.parametrize("page", ["last_trick_page", "score_lines", "rules_page", "passes_page", "help_page"])
def test_pages(golden: Golden, page: str) -> None:
    lines = getattr(panels, page)(scene(scenes.playing(8)), 76)
    assert max(line.cell_len for line in lines) <= 76
    golden(f"page-{page}.txt", text(lines))


def test_the_end_of_a_hand(golden: Golden) -> None:
    event = {
        "number": 3,
        "scores": [0, 52, 52, 52, 52, 52, 52, 52],
        "totals": [12, 52, 70, 61, 64, 88, 99, 52],
        "moon": {"shooter": 0, "scored": "add"},
        "revoked": [4],
    }
    scored = panels.HandOver.of(event)
    assert scored is not None
    lines = panels.hand_over_page(scene(scenes.playing(8)), 67, scored=scored)
    golden("page-hand-over.txt", text(lines))
    assert panels.HandOver.of({"number": 3}) is None


@pytest.mark.parametrize("phase", ["lobby", "moon", "over"])
def test_other_phases(golden: Golden, phase: str) -> None:
    golden(f"{phase}-8.txt", text(draw(scene(scenes.phase(8, phase)), 80, 24)))


@pytest.mark.parametrize("players", range(3, 12))
@pytest.mark.parametrize("width", [80, 81, 99, 129, 130, 200])
def test_everything_fits_at_every_table_size(players: int, width: int) -> None:
    for view in (scenes.playing(players), scenes.full_hand(players)):
        for height in (24, 25, 37, 60):
            lines = draw(scene(view, note="x" * 300, typed="qs"), width, height)
            assert len(lines) == height
            assert max(line.cell_len for line in lines) <= width
            shown = text(lines)
            assert all(str(seat.seat) for seat in view.seats)
            assert shown.count(" > qs") == 1


def test_every_seat_is_there_with_its_card() -> None:
    view = scenes.playing(11)
    shown = text(draw(scene(view), 80, 24))
    for number in range(11):
        assert fit(view.name(number), 9).rstrip("…") in shown


def test_the_left_neighbour_sits_on_the_left_and_play_goes_clockwise() -> None:
    left, top, right = around(8, 3)
    assert left == [5, 4]
    assert top == [6, 7, 0]
    assert right == [1, 2]


def test_meaning_never_depends_on_colour_alone() -> None:
    view = scenes.playing(8)
    shown = text(draw(scene(view, cursor=0), 80, 24))
    assert "9♣✗" in shown
    assert "10♣★" in shown
    assert "▶ Ada" in shown
    assert "[2♣]" in shown


def test_cancelled_cards_are_struck_through() -> None:
    lines = draw(scene(scenes.playing(8)), 80, 24)
    struck = {line.plain[span.start : span.end] for line in lines for span in line.spans if "strike" in str(span.style)}
    assert struck == {"9♣"}


def test_four_colours_and_none() -> None:
    look = Look()
    assert len({look.colour(card) for card in ("2C", "2D", "2S", "2H")}) == 4
    console = Console(no_color=True, force_terminal=True, width=80)
    with console.capture() as capture:
        console.print(Text("\n").join(draw(scene(scenes.playing(8)), 80, 24)))
    assert "\x1b[3" not in capture.get().replace("\x1b[3m", "")


def test_names_cannot_drive_the_terminal() -> None:
    view = View(seats=[Seat(name="a\x1b[2Jb\u202ec\u200b")])
    assert view.name(0) == "a[2Jbc"


@pytest.mark.parametrize(("given", "width", "shown"), [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("🎲🎲🎲", 4, "🎲…")])
def test_text_is_cut_by_cells_not_by_letters(given: str, width: int, shown: str) -> None:
    assert fit(given, width) == shown


def test_a_row_never_overlaps() -> None:
    assert row(Text("x" * 20), Text("right"), 12).plain == "xxxxxx right"


def test_a_style_ends_with_what_it_is_for() -> None:
    lines = draw(scene(scenes.playing(8)), 100, 30)
    styles = {line.plain[span.start : span.end].strip(): str(span.style) for line in lines for span in line.spans}
    assert styles["Your turn"] == "bold yellow"
    assert styles["Sofia K"] == "bold"
    assert styles["Q♠"].endswith("bold")


def test_without_colours_the_rest_of_the_style_stays() -> None:
    lines = [colourless(line) for line in draw(scene(scenes.playing(8), cursor=1), 80, 24)]
    styles = [line.style for line in lines] + [span.style for line in lines for span in line.spans]
    assert all(isinstance(style, Style) and style.color is None and style.bgcolor is None for style in styles)
    assert any(isinstance(style, Style) and style.strike for style in styles)
    assert text(lines) == text(draw(scene(scenes.playing(8), cursor=1), 80, 24))
