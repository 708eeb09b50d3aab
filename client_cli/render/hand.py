"""My cards with their numbers, wrapped to the width."""

from itertools import groupby

from rich.text import Text

from client_cli.cards import suit_of
from client_cli.render.scene import Scene


def hand_lines(scene: Scene, width: int) -> list[Text]:
    """Two lines for each row of cards: the cards, and under them the numbers of those that may be played.

    The cursor is in brackets, chosen cards carry a mark, illegal ones are dim and have a dot for a number.
    """
    hand = scene.hand
    if not hand:
        return []
    cell = 5 if _width(hand, 5) <= width else 4
    lines: list[Text] = []
    for indexes in _rows(hand, cell, width):
        cards, numbers = Text(" "), Text(" ")
        for place, index in enumerate(indexes):
            if place and suit_of(hand[index]) != suit_of(hand[indexes[place - 1]]):
                cards.append(" ")
                numbers.append(" ")
            _append(scene, index, cell, cards, numbers)
        lines += [cards, numbers]
    return lines


def _append(scene: Scene, index: int, cell: int, cards: Text, numbers: Text) -> None:
    card = scene.hand[index]
    shown = scene.look.card(card)
    if cell == 4:
        shown = shown.replace("10", "T")
    playable = can_choose(scene, index)
    style = scene.look.colour(card) + (" bold" if playable else " dim")
    if index == scene.cursor:
        pointed = f"[{shown}]"
        cards.append(" " * (cell - len(pointed))).append(pointed, style + " reverse")
    else:
        cards.append(f"{shown} ".rjust(cell), style)
    number = str(index + 1) if playable else scene.look.dot
    if index in scene.chosen:
        numbers.append(f"{scene.look.chosen}{number}".center(cell), "bold")
    else:
        numbers.append(number.center(cell), "" if playable else "dim")


def can_choose(scene: Scene, index: int) -> bool:
    """Whether Enter on this card would be accepted; everything looks playable while I wait."""
    me = scene.view.me
    if me is None:
        return False
    if scene.view.my_turn:
        return scene.hand[index] in me.legal
    return True


def _width(hand: list[str], cell: int) -> int:
    suits = len({suit_of(card) for card in hand})
    return 1 + len(hand) * cell + suits - 1


def _rows(hand: list[str], cell: int, width: int) -> list[list[int]]:
    """Places of the cards, row by row. A suit is kept together where a row can hold it."""
    suits = [list(places) for _suit, places in groupby(range(len(hand)), key=lambda place: suit_of(hand[place]))]
    rows: list[list[int]] = [[]]
    used = 1
    for suit in suits:
        gap = 1 if rows[-1] else 0
        if rows[-1] and used + gap + len(suit) * cell > width:
            rows.append([])
            used, gap = 1, 0
        room = max(1, (width - used - gap) // cell)
        rows[-1] += suit[:room]
        rows += [suit[start : start + room] for start in range(room, len(suit), room)]
        used = used + gap + len(suit) * cell if len(suit) <= room else 1 + len(rows[-1]) * cell
    return rows
