"""Tens of thousands of random tricks and hands on turn: the engine against the second opinion."""

from random import Random

import msgspec
import pytest

from rules.cards import Card, in_order
from rules.ruleset import RuleSet
from rules.scoring import points_of
from rules.trick import settle, standing_plays, winning_play
from tests.rules import second_opinion
from tests.rules.playing import SEED, tables

TABLES = tables()


@pytest.mark.parametrize("duplicates", ["cancel", "later_wins"])
@pytest.mark.parametrize("cancelled_trick", ["carry", "leader"])
@pytest.mark.parametrize("last_cancelled_trick", ["leader", "high_pair_second"])
@pytest.mark.parametrize("triples", ["all", "pair"])
def test_the_taker_of_a_trick(duplicates: str, cancelled_trick: str, last_cancelled_trick: str, triples: str) -> None:
    random = Random(SEED)
    print("seed", SEED)
    carried = 0
    for _ in range(2500):
        packs, players = random.choice([(1, 4), (2, 5), (2, 8), (2, 11), (3, 11)])
        options = {
            "packs": packs,
            "duplicates": duplicates,
            "cancelled_trick": cancelled_trick,
            "last_cancelled_trick": last_cancelled_trick,
            "triples": triples,
            "omnibus": random.choice(["off", "JD", "TD"]),
            "hooligan": random.random() < 0.5,
            "dame_de_pique": random.random() < 0.5,
        }
        rules = RuleSet.resolve(None, players, options)
        plain = msgspec.to_builtins(rules)
        # A few faces only, so that copies meet; one suit is frequent, so that whole tricks cancel.
        deck = rules.worked_out.cards
        faces = set(random.sample(deck, random.randint(2, 2 * players)))
        near = [card for card in deck if card in faces or (card.suit is deck[0].suit and random.random() < 0.3)]
        cards = random.sample(near, players) if len(near) >= players else random.sample(deck, players)
        if random.random() < 0.3:
            cards = cancelling(random, deck, players, packs)
        pile = random.sample(deck, random.choice([0, 0, players, 2 * players]))
        leader, last = random.randrange(players), random.random() < 0.5
        settled = settle(rules, leader, cards, pile, last)
        texts = [card.value for card in cards]
        place = second_opinion.taker(plain, texts, last)
        carried += place is None
        assert settled.taker == (None if place is None else (leader + place) % players), texts
        assert [card.value for card in settled.cancelled] == second_opinion.cancelled(plain, texts), texts
        everything = [*cards, *pile] if place is not None else []
        assert settled.cards_taken == len(everything)
        assert settled.points == sum(second_opinion.worth(plain, card.value) for card in everything)
        assert points_of(rules, everything) == settled.points
        assert settled.next_leader == (leader if place is None else None if last else settled.taker)
        for shown in range(1, players + 1):
            assert winning_play(rules, cards[:shown]) == second_opinion.winner(plain, texts[:shown])
        if duplicates == "cancel":
            led = cards[0].suit
            for at, stands in enumerate(standing_plays(rules, cards)):
                assert stands == (cards[at].suit is not led or second_opinion.stands(plain, texts, at)), (texts, at)
    assert (carried > 100) == (duplicates == "cancel" and cancelled_trick == "carry")


def cancelling(random: Random, deck: tuple[Card, ...], players: int, packs: int) -> list[Card]:
    """A trick whose led suit is likely to cancel as a whole: copies of few faces, filled up with another suit."""
    led = random.choice(list({card.suit for card in deck}))
    twice = [card for card in deck if card.suit is led and deck.count(card) == packs]
    cards = [
        card for card in random.sample(sorted(set(twice), key=str), min(3, players // packs)) for _ in range(packs)
    ]
    others = [card for card in deck if card.suit is not led]
    cards = cards[:players] + random.sample(others, max(0, players - len(cards)))
    lead = cards.pop(0)
    random.shuffle(cards)
    return [lead, *cards]


def test_cards_sort_by_suit_then_rank() -> None:
    random = Random(SEED)
    for rules in TABLES:
        deck = rules.worked_out.cards
        some = random.sample(deck, 20)
        expected = sorted(some, key=lambda card: ("CDSH".index(card.suit.value), second_opinion.height(card.value)))
        assert list(in_order(some)) == expected
