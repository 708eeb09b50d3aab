import pytest

from client_cli.keys import BELL_KEY, PAGE_KEYS, SAY_KEY, Keyboard
from client_cli.model import View
from client_cli.typed import Act, NotUnderstood, Quit, Show, Wish, understand
from tests.client_cli import scenes

NAMED = {"⏎": "enter", "→": "right", "←": "left", "␣": "space", "⌫": "backspace", "⎋": "escape"}


def press(keys: str, view: View, board: Keyboard | None = None) -> list[Wish | str]:
    board = board or Keyboard()
    wishes = []
    for key in keys:
        name = NAMED.get(key, key)
        character = " " if name == "space" else None if key in NAMED else key
        wish = board.press(name, character, view)
        if wish is not None:
            wishes.append(wish)
    return wishes


TURN = 8 * 4 + 7


@pytest.mark.parametrize(
    ("keys", "card"), [("jc⏎", "JC"), ("2⏎", "JC"), ("J♣⏎", "JC"), ("→→⏎", "JC"), ("kx⌫c⏎", "KC"), ("qs⎋2c⏎", "2C")]
)
def test_a_card_is_typed_numbered_or_pointed_at(keys: str, card: str) -> None:
    assert press(keys, scenes.playing(8)) == [Act("play", {"card": card, "turn": TURN})]


@pytest.mark.parametrize("key", [*"0123456789abcdefghijklmnopqrstuvwxyz?/.,♠♥♦♣ ⏎→←␣⌫⎋"])
def test_no_single_key_ever_acts(key: str) -> None:
    assert not any(isinstance(wish, Act | Quit) for wish in press(key, scenes.playing(8)))
    assert not any(isinstance(wish, Act | Quit) for wish in press(key, scenes.full_hand(8)))


def test_enter_again_does_not_play_again() -> None:
    assert len(press("→⏎⏎⏎", scenes.playing(8))) == 1


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ("ks⏎", "Not the king of spades: you must follow suit: clubs."),
        ("as⏎", "You do not hold the ace of spades."),
        ("xx⏎", "xx is neither a card nor a command; type help."),
        ("99⏎", "99 is neither a card nor a command; type help."),
        ("←⏎", "Not the ace of hearts: you must follow suit: clubs."),
    ],
)
def test_a_card_that_may_not_be_played_says_why(keys: str, reason: str) -> None:
    board = Keyboard()
    assert press(keys, scenes.playing(8), board) == []
    assert board.note == reason


def test_it_says_what_enter_would_do() -> None:
    board = Keyboard()
    press("jc", scenes.playing(8), board)
    assert board.note == "Enter plays the jack of clubs."


@pytest.mark.parametrize(("keys", "left"), [("3", ""), ("1 2", ""), ("→", ""), ("qs", "qs"), ("/say 3", "/say 3")])
def test_places_are_forgotten_when_the_hand_changes(keys: str, left: str) -> None:
    board = Keyboard()
    press(keys, scenes.playing(8), board)
    board.hand_changed()
    assert board.typed == left
    assert board.cursor is None


def test_out_of_turn_nothing_is_played() -> None:
    view = scenes.playing(8)
    assert view.me is not None
    view.me.can = ["say"]
    board = Keyboard()
    assert press("2c⏎", view, board) == []
    assert board.note == "It is not your turn."


@pytest.mark.parametrize("keys", ["2c 5c 7c⏎", "1 2 3⏎", "→␣→␣→␣⏎", "→␣→␣→␣→␣␣⏎"])
def test_the_pass_is_typed_or_marked(keys: str) -> None:
    assert press(keys, scenes.full_hand(8)) == [Act("pass", {"cards": ["2C", "5C", "7C"]})]


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ("2c⏎", "Choose exactly 3 cards, not 1."),
        ("→␣⏎", "Choose exactly 3 cards, not 1."),
        ("→⏎", "Space marks a card for the pass; Enter sends them when all are marked."),
        ("2c 2c 2c⏎", "You do not hold the two of clubs."),
        ("2c 2x 3c⏎", "2x is neither a card nor a command; type help."),
    ],
)
def test_a_pass_that_cannot_be_says_why(keys: str, reason: str) -> None:
    board = Keyboard()
    assert press(keys, scenes.full_hand(8), board) == []
    assert board.note == reason


def test_letters_that_begin_no_card_open_pages() -> None:
    for key, page in PAGE_KEYS.items():
        assert press(key, scenes.playing(8)) == [Show(page)]
    assert press(SAY_KEY, scenes.playing(8)) == [SAY_KEY]
    assert press(BELL_KEY, scenes.playing(8)) == [BELL_KEY]
    assert not set("23456789tjqkacdsh10") & {*PAGE_KEYS, SAY_KEY, BELL_KEY}


@pytest.mark.parametrize(
    ("line", "wish"),
    [
        ("/start", Act("start")),
        ("/bot", Act("add_bot", {"seat": 3, "level": "normal"})),
        ("/bot 5 hard", Act("add_bot", {"seat": 4, "level": "hard"})),
        ("/remove 2", Act("remove", {"seat": 1})),
        ("/cover 2", Act("bot_for", {"seat": 1})),
        ("/say well  played", Act("say", {"text": "well  played"})),
        ("/say 2", Act("say", {"reaction": "👏"})),
        ("/say 7", Act("say", {"text": "7"})),
        ("add", Act("moon", {"choice": "add"})),
        ("/leave", Act("leave")),
        ("/rematch", Act("rematch")),
        ("/close", Act("close")),
        ("q", Quit()),
        ("?", Show("help")),
        ("", None),
    ],
)
def test_commands(line: str, wish: Wish | None) -> None:
    assert understand(line, scenes.phase(8, "lobby"), []) == wish


@pytest.mark.parametrize(
    "line", ["/remove", "/remove x", "/remove 0", "/remove ²", "/remove " + "9" * 5000, "/say", "/bot"]
)
def test_commands_that_lack_something_say_so(line: str) -> None:
    with pytest.raises(NotUnderstood):
        understand(line, scenes.playing(8), [])


@pytest.mark.parametrize(
    ("mode", "keys", "done"),
    [
        ("refuse", "/revoke ks⏎", "This table does not let anybody fail to follow suit."),
        ("penalty", "/revoke jc⏎", "Just play the jack of clubs: it is legal."),
        ("penalty", "ks⏎", "Not the king of spades: you must follow suit: clubs."),
        ("penalty", "/revoke ks⏎", Act("play", {"card": "KS", "turn": TURN})),
    ],
)
def test_failing_to_follow_suit_takes_a_word_of_its_own(mode: str, keys: str, done: Act | str) -> None:
    view, board = scenes.playing(8), Keyboard()
    view.table.rules["revoke"] = mode
    wishes = press(keys, view, board)
    assert (wishes[-1] if wishes else board.note) == done
