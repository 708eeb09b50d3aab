"""The rule set of a table: every option resolved and proved to make sense ("rule book", Options and Presets)."""

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from rules.accepted import mismatch, shown
from rules.cards import Card
from rules.deck import Deck, exact_players, worked_out
from rules.worth import worth_of_cards

Players = Annotated[int, Meta(ge=3, le=11)]
Packs = Annotated[int, Meta(ge=1, le=3)]
PassCount = Annotated[int, Meta(ge=0, le=5)] | Literal["quarter"]
Offsets = Annotated[tuple[int, ...], Meta(min_length=1, max_length=64)]
Target = Annotated[int, Meta(ge=1, le=1000)]
HandCount = Annotated[int, Meta(ge=1, le=99)]
PLAYERS = range(3, 12)


class RuleSetError(ValueError):
    """Options that make no sense. field: the option at fault; detail: what was expected, and what came instead.

    As text it is `field: detail`, without a full stop.
    """

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(f"{field}: {detail}")
        self.field = field
        self.detail = detail


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Single options as a table's creator may give them; what is left out comes from the preset."""

    packs: Packs | UnsetType = UNSET
    deck: Literal["exact", "kitty"] | UnsetType = UNSET
    kitty_to: Literal["first_trick", "last_trick"] | UnsetType = UNSET
    first_lead: Literal["low_card", "dealers_left"] | UnsetType = UNSET
    first_trick_points: bool | UnsetType = UNSET
    hearts_must_break: bool | UnsetType = UNSET
    queen_breaks_hearts: bool | UnsetType = UNSET
    duplicates: Literal["cancel", "later_wins"] | UnsetType = UNSET
    triples: Literal["all", "pair"] | UnsetType = UNSET
    cancelled_trick: Literal["carry", "leader"] | UnsetType = UNSET
    last_cancelled_trick: Literal["leader", "high_pair_second"] | UnsetType = UNSET
    pass_count: PassCount | UnsetType = UNSET
    pass_cycle: Offsets | Literal["rotate"] | UnsetType = UNSET
    moon: Literal["add", "subtract", "choice", "auto", "off"] | UnsetType = UNSET
    omnibus: Literal["off", "JD", "TD"] | UnsetType = UNSET
    hooligan: bool | UnsetType = UNSET
    dame_de_pique: bool | UnsetType = UNSET
    target: Target | None | UnsetType = UNSET
    hands: HandCount | None | UnsetType = UNSET
    tie: Literal["share", "play_on"] | UnsetType = UNSET
    revoke: Literal["refuse", "penalty"] | UnsetType = UNSET
    end_when_no_points: bool | UnsetType = UNSET


PRESETS: Mapping[str, Options] = MappingProxyType(
    {
        "classic": Options(packs=1),
        "cancellation": Options(packs=2),
        "triple": Options(packs=3),
        "guts": Options(packs=2, first_lead="dealers_left", hearts_must_break=False),
        "bicycle": Options(packs=2, deck="kitty", first_lead="dealers_left", pass_count=0),
        "black_maria": Options(packs=1, dame_de_pique=True),
        "omnibus": Options(packs=1, omnibus="JD"),
        "hooligan": Options(packs=1, hooligan=True),
    }
)


class RuleSet(Struct, frozen=True, kw_only=True, dict=True):
    """Every option of one table, resolved. Made by `resolve`, which alone proves that they make sense together.

    What follows from the options is worked out once and kept beside them, no part of the value.
    """

    players: Players
    packs: Packs
    deck: Literal["exact", "kitty"] = "exact"
    kitty_to: Literal["first_trick", "last_trick"] = "first_trick"
    first_lead: Literal["low_card", "dealers_left"] = "low_card"
    first_trick_points: bool = False
    hearts_must_break: bool = True
    queen_breaks_hearts: bool = False
    duplicates: Literal["cancel", "later_wins"] = "cancel"
    triples: Literal["all", "pair"] = "all"
    cancelled_trick: Literal["carry", "leader"] = "carry"
    last_cancelled_trick: Literal["leader", "high_pair_second"] = "leader"
    pass_count: PassCount
    pass_cycle: Offsets
    moon: Literal["add", "subtract", "choice", "auto", "off"] = "add"
    omnibus: Literal["off", "JD", "TD"] = "off"
    hooligan: bool = False
    dame_de_pique: bool = False
    target: Target | None = 100
    hands: HandCount | None = None
    tie: Literal["share", "play_on"] = "share"
    revoke: Literal["refuse", "penalty"] = "refuse"
    end_when_no_points: bool = False

    @classmethod
    def resolve(cls, preset: str | None, players: int, options: Options | Mapping[str, Any] | None = None) -> "RuleSet":
        """The rule set of `preset` (None: the default for so many players) with `options` over it.

        Raises RuleSetError naming the field and the reason for anything that makes no sense.
        """
        if players not in PLAYERS:
            raise RuleSetError("players", f"expected {PLAYERS[0]} to {PLAYERS[-1]}; got {players}")
        base = preset_options(default_preset(players) if preset is None else preset)
        given = _given(options, players)
        chosen = _settings(base) | given
        _check_deck(chosen, players, blame="packs" if "packs" in given else "players")
        _settle_end(chosen)
        _settle_pass(chosen, players)
        return cls(players=players, **chosen)

    @cached_property
    def worked_out(self) -> Deck:
        """The deck of this rule set."""
        return worked_out(self.packs, self.players, self.deck)

    @cached_property
    def worth(self) -> Mapping[Card, int]:
        """The penalty points of each card that has any; negative for a bonus."""
        return worth_of_cards(self.dame_de_pique, self.hooligan, self.omnibus)

    @property
    def pass_size(self) -> int:
        """How many cards each player passes: the pass count, never more than half the hand."""
        each = self.worked_out.each
        wanted = each // 4 if self.pass_count == "quarter" else self.pass_count
        return min(wanted, max(1, each // 2))

    def pass_offset(self, number: int) -> int:
        """Where hand `number` (1, 2, ...) passes: seats to the left, negative to the right, 0 on a hold hand."""
        if self.pass_count == 0:
            return 0
        return self.pass_cycle[(number - 1) % len(self.pass_cycle)]


def default_preset(players: int) -> str:
    """The preset a table of so many players has unless told otherwise."""
    return "classic" if players < 5 else "cancellation"


def preset_options(preset: str) -> Options:
    """What a preset sets. Raises RuleSetError (field `preset`) when there is none of that name."""
    if preset not in PRESETS:
        raise RuleSetError("preset", f"expected one of {', '.join(PRESETS)}; got {shown(preset)}")
    return PRESETS[preset]


def preset_players(preset: str) -> tuple[int, ...]:
    """The table sizes a preset can be played at. Raises KeyError for an unknown preset."""
    options = PRESETS[preset]
    assert isinstance(options.packs, int)
    if options.deck == "kitty":
        return tuple(range(5, 12))
    return exact_players(options.packs)


def rotation(players: int) -> tuple[int, ...]:
    """The pass cycle called "rotate": each distance left then right, opposite once if there is one, then hold."""
    near = range(1, (players - 1) // 2 + 1)
    opposite = (players // 2,) if players % 2 == 0 else ()
    return (*(offset for distance in near for offset in (distance, -distance)), *opposite, 0)


def _given(options: Options | Mapping[str, Any] | None, players: int) -> dict[str, Any]:
    """The options that were given, with their values proved to be of the right kind."""
    if options is None:
        return {}
    if isinstance(options, Options):
        return _settings(options)
    given = dict(options)
    if given.pop("players", players) != players:
        raise RuleSetError("players", f"expected the table's own {players}; got {shown(options['players'])}")
    for field, value in given.items():
        if field not in Options.__struct_fields__:
            raise RuleSetError(field[:40], f"there is no such option; there are {', '.join(Options.__struct_fields__)}")
        try:
            msgspec.convert({field: value}, Options)
        except msgspec.ValidationError:
            raise RuleSetError(field, mismatch(Options, field, value)) from None
    return _settings(msgspec.convert(given, Options))


def _settings(options: Options) -> dict[str, Any]:
    values = ((field, getattr(options, field)) for field in options.__struct_fields__)
    return {field: value for field, value in values if value is not UNSET}


def _check_deck(chosen: dict[str, Any], players: int, blame: str) -> None:
    packs = chosen["packs"]
    if chosen.get("deck") == "kitty":
        if packs != 2:
            raise RuleSetError("deck", f"a kitty needs two packs, not {packs}")
        if players < 5:
            raise RuleSetError("players", f"a kitty deck is for 5 to 11 players, not {players}")
        if chosen.get("first_lead", "low_card") == "low_card":
            raise RuleSetError("first_lead", "a kitty deck has no unique low card: it needs dealers_left")
    elif players not in exact_players(packs):
        sizes = exact_players(packs)
        several = f"{min(sizes)} to {max(sizes)}" if len(sizes) > 1 else str(max(sizes))
        raise RuleSetError(
            blame, f"{packs} pack{'s' * (packs > 1)} cannot be dealt to {players} players: {several} can play"
        )


def _settle_end(chosen: dict[str, Any]) -> None:
    if chosen.get("hands") is not None:
        if chosen.get("target") is not None:
            raise RuleSetError("target", "must be null when hands is set: the game lasts exactly that many hands")
        chosen["target"] = None
    elif chosen.get("target", 100) is None:
        raise RuleSetError("target", "target and hands cannot both be null: the game would never end")


def _settle_pass(chosen: dict[str, Any], players: int) -> None:
    cancellation = chosen["packs"] > 1
    chosen.setdefault("pass_count", "quarter" if cancellation else 3)
    cycle = chosen.get("pass_cycle")
    if cycle is None and not cancellation:
        cycle = (1, -1, 2, 0) if players == 4 else (1, -1, 0)
    elif cycle is None or cycle == "rotate":
        cycle = rotation(players)
    for offset in cycle:
        if abs(offset) >= players:
            raise RuleSetError(
                "pass_cycle", f"expected offsets from {1 - players} to {players - 1}; got {shown(offset)}"
            )
    chosen["pass_cycle"] = tuple(cycle)
