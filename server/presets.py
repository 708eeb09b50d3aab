"""The presets as the API shows them: as a list, and with everything worked out for a table size."""

from functools import lru_cache
from typing import Literal

from msgspec import UNSET, Struct
from msgspec.structs import replace

from rules.cards import Card, Cards
from rules.ruleset import PLAYERS, PRESETS, Options, RuleSet, default_preset, preset_options, preset_players
from rules.scoring import moon_value, points_of
from rules.view import pass_words
from server.guide.catalogue import catalogue


class PresetView(Struct, frozen=True, kw_only=True):
    """A preset: its packs, the table sizes it can be played at, those it is the default for, and what it changes.

    differs: the options whose values are not the defaults; everything else is as the rule book has it.
    """

    name: str
    description: str
    packs: int
    players: tuple[int, ...]
    default_for: tuple[int, ...]
    differs: Options


class PresetList(Struct, frozen=True):
    """Every preset."""

    presets: tuple[PresetView, ...]


class DeckView(Struct, frozen=True, kw_only=True):
    """A deck worked out for a table.

    cards: how many in all; each: dealt to a player; added, removed: against whole packs; low_card: the unique lowest
    club, null in a kitty deck; points: what all cards are worth together, bonuses subtracted; kitty: cards undealt.
    """

    cards: int
    each: int
    added: Cards
    removed: Cards
    low_card: Card | None
    points: int
    kitty: int


class LeadView(Struct, frozen=True):
    """Who leads the first trick; card: what must be led, null when the dealer's left leads anything legal."""

    by: Literal["low_card", "dealers_left"]
    card: Card | None
    words: str


class HandPass(Struct, frozen=True):
    """The pass of one hand of the cycle. offset: seats to the left, negative to the right, 0 on a hold hand."""

    hand: int
    offset: int
    count: int
    to: str


class PresetTable(Struct, frozen=True, kw_only=True):
    """A preset with everything worked out for a table size.

    passes: the hands of one full cycle, which then starts again; pass_count: cards each player passes on a hand that
    is no hold hand; moon_value: what the cards of the moon are worth together.
    """

    name: str
    description: str
    players: int
    rules: RuleSet
    deck: DeckView
    leads: LeadView
    pass_count: int
    passes: tuple[HandPass, ...]
    moon_value: int


def preset_list() -> PresetList:
    """All presets, in the order of the rule book."""
    return PresetList(tuple(map(preset_view, PRESETS)))


def preset_view(preset: str) -> PresetView:
    """A preset for any table size. Raises RuleSetError (field `preset`) when there is none of that name."""
    options = preset_options(preset)
    assert isinstance(options.packs, int)
    return PresetView(
        name=preset,
        description=_description(preset),
        packs=options.packs,
        players=preset_players(preset),
        default_for=tuple(players for players in PLAYERS if default_preset(players) == preset),
        differs=replace(options, packs=UNSET),
    )


def preset_table(preset: str, players: int) -> PresetTable:
    """A preset worked out for so many players.

    Raises RuleSetError (field `preset` or `players`) for an unknown preset or a size it cannot be played at.
    """
    rules = RuleSet.resolve(preset, players)
    return PresetTable(
        name=preset,
        description=_description(preset),
        players=players,
        rules=rules,
        deck=deck_view(rules),
        leads=_lead_view(rules),
        pass_count=rules.pass_size,
        passes=_passes(rules),
        moon_value=moon_value(rules),
    )


@lru_cache(maxsize=1024)
def deck_view(rules: RuleSet) -> DeckView:
    """The deck of a rule set as the views of presets and tables show it."""
    deck = rules.worked_out
    return DeckView(
        cards=len(deck.cards),
        each=deck.each,
        added=deck.added,
        removed=deck.removed,
        low_card=deck.low_card,
        points=points_of(rules, deck.cards),
        kitty=deck.kitty,
    )


def _description(preset: str) -> str:
    return catalogue("en")[f"about.{preset}"]


def _lead_view(rules: RuleSet) -> LeadView:
    low = rules.worked_out.low_card
    if rules.first_lead == "dealers_left" or low is None:
        return LeadView("dealers_left", None, "The player to the dealer's left leads any card the rules allow.")
    return LeadView("low_card", low, f"Whoever holds {low} after the pass leads it.")


def _passes(rules: RuleSet) -> tuple[HandPass, ...]:
    if rules.pass_size == 0:
        return (HandPass(1, 0, 0, pass_words(0, rules.players)),)
    return tuple(
        HandPass(number, offset, rules.pass_size if offset else 0, pass_words(offset, rules.players))
        for number, offset in enumerate(rules.pass_cycle, 1)
    )
