"""Which texts of the catalogue apply to a rule set, section by section. No words in here, only choices."""

from collections.abc import Iterator

from rules.ruleset import RuleSet

Outline = dict[str, tuple[str, ...]]
"""Section name to the keys of its texts, the first of them its title."""


def outline(rules: RuleSet) -> Outline:
    """The sections of the guide in the order they are read; a section that does not apply is left out."""
    chosen: dict[str, Iterator[str]] = {
        "aim": iter(("title", "text", "cards")),
        "steps": _steps(rules),
        "option": _options(rules),
        "deck": _deck(rules),
        "pass": _pass(rules),
        "lead": iter(("title", "low" if low_card_leads(rules) else "left", "next")),
        "follow": _follow(rules),
        "hearts": _hearts(rules),
        "first": _first(rules),
        "cancel": _cancel(rules),
        "later": iter(("title", "text", "example") if rules.packs > 1 and not cancels(rules) else ()),
        "carried": _carried(rules),
        "joker": _joker(rules),
        "kitty": _kitty(rules),
        "score": _score(rules),
        "moon": _moon(rules),
        "end": iter(("title", "target" if rules.hands is None else "hands", rules.tie)),
        "fair": iter(("title", "text")),
        "tips": _tips(rules),
        "faq": _faq(rules),
    }
    sections = {section: tuple(f"{section}.{name}" for name in names) for section, names in chosen.items()}
    return {section: keys for section, keys in sections.items() if len(keys) > 1}


def differences(rules: RuleSet) -> tuple[str, ...]:
    """The options whose value changes the play of this table against the plain game with as many packs."""
    plain = RuleSet.resolve(("classic", "cancellation", "triple")[rules.packs - 1], rules.players)
    silent = {"players", "packs", *_without_effect(rules)}
    if rules.pass_size == plain.pass_size:
        silent.add("pass_count")
    return tuple(
        field
        for field in rules.__struct_fields__
        if field not in silent and getattr(rules, field) != getattr(plain, field)
    )


def cancels(rules: RuleSet) -> bool:
    """Whether equal cards cancel at this table."""
    return rules.packs > 1 and rules.duplicates == "cancel"


def low_card_leads(rules: RuleSet) -> bool:
    return rules.first_lead == "low_card"


def has_joker(rules: RuleSet) -> bool:
    return bool(rules.worked_out.added)


def passes(rules: RuleSet) -> bool:
    """Whether any hand of the cycle passes cards."""
    return rules.pass_size > 0 and any(rules.pass_cycle)


def _without_effect(rules: RuleSet) -> Iterator[str]:
    if not rules.worked_out.kitty:
        yield "kitty_to"
    if not rules.hearts_must_break:
        yield "queen_breaks_hearts"
    if rules.packs == 1:
        yield "duplicates"
    if not cancels(rules):
        yield from ("cancelled_trick", "last_cancelled_trick")
    if not cancels(rules) or rules.packs < 3:
        yield "triples"
    if rules.pass_size == 0:
        yield "pass_cycle"
    elif not any(rules.pass_cycle):
        yield "pass_count"
    yield "target" if rules.target is None else "hands"


def _steps(rules: RuleSet) -> Iterator[str]:
    yield from ("title", "deal")
    if passes(rules):
        yield "pass" if len(rules.pass_cycle) > 1 else "pass_same"
    else:
        yield "pass_none"
    yield "lead_low" if low_card_leads(rules) else "lead_left"
    yield "follow"
    if cancels(rules):
        yield "take_cancel"
        yield "carry" if rules.cancelled_trick == "carry" else "at_once"
    else:
        yield "take" if rules.packs == 1 else "take_later"
        yield "trumps"
    yield "hearts" if rules.hearts_must_break else "hearts_free"
    yield "first_free" if rules.first_trick_points else "first"
    if rules.moon == "off":
        yield "points"
    else:
        yield "points_moon_dame" if rules.dame_de_pique else "points_moon"
    yield "end_target" if rules.hands is None else "end_hands"


def _options(rules: RuleSet) -> Iterator[str]:
    yield "title"
    for field in differences(rules):
        if field == "moon":
            yield f"moon_{rules.moon}"
        elif field in ("pass_count", "pass_cycle") and not passes(rules):
            yield "pass_none"
        else:
            yield field


def _deck(rules: RuleSet) -> Iterator[str]:
    deck = rules.worked_out
    yield from ("title", "packs", "cards", "each", "added", "removed")
    if deck.kitty:
        yield "kitty"
    yield from ("points", "why_even")
    if low_card_leads(rules):
        yield "why_low"
    yield "turns"


def _pass(rules: RuleSet) -> Iterator[str]:
    yield "title"
    if not passes(rules):
        yield "none"
        return
    yield "how"
    yield "again" if len(rules.pass_cycle) > 1 else "always"
    if 0 in rules.pass_cycle:
        yield "hold"
    if low_card_leads(rules):
        yield "low"


def _follow(rules: RuleSet) -> Iterator[str]:
    yield from ("title", "text", "void")
    if rules.packs == 1:
        yield from ("highest", "example")
    yield "refuse" if rules.revoke == "refuse" else "penalty"


def _hearts(rules: RuleSet) -> Iterator[str]:
    yield "title"
    if not rules.hearts_must_break:
        yield "free"
        return
    yield "text"
    if cancels(rules):
        yield "cancelled"
    yield "queen" if rules.queen_breaks_hearts else "not_queen"
    yield "only"


def _first(rules: RuleSet) -> Iterator[str]:
    yield "title"
    if rules.first_trick_points:
        yield "free"
        return
    yield "barred"
    if not low_card_leads(rules):
        yield "leader"
    yield "only"


def _cancel(rules: RuleSet) -> Iterator[str]:
    if not cancels(rules):
        return
    yield from ("title", "text")
    if rules.packs == 3:
        yield "triples" if rules.triples == "all" else "pair"
    yield from ("others", "count", "example")


def _carried(rules: RuleSet) -> Iterator[str]:
    if not cancels(rules):
        return
    if rules.cancelled_trick == "carry":
        yield from ("title_carry", "none", "carry")
    else:
        yield from ("title", "none", "leader")
    if rules.last_cancelled_trick == "high_pair_second":
        yield "last_pair"
    elif rules.cancelled_trick == "carry":
        yield "last_leader"


def _joker(rules: RuleSet) -> Iterator[str]:
    if has_joker(rules):
        yield from ("title", "text")
        yield "leads" if low_card_leads(rules) else "follows"
        yield "takes" if cancels(rules) else "takes_later"


def _kitty(rules: RuleSet) -> Iterator[str]:
    if not rules.worked_out.kitty:
        return
    yield from ("title", "text")
    if rules.kitty_to == "last_trick":
        yield "last"
        return
    yield "first"
    if cancels(rules) and rules.cancelled_trick == "carry":
        yield "first_carried"


def _score(rules: RuleSet) -> Iterator[str]:
    yield from ("title", "table", "rest")
    if rules.revoke == "refuse":
        yield "sum" if rules.moon == "off" else "sum_moon"
    if rules.omnibus != "off":
        yield "bonus"
    if rules.end_when_no_points:
        yield "early"


def _moon(rules: RuleSet) -> Iterator[str]:
    yield "title"
    if rules.moon != "off":
        yield "what"
    yield rules.moon
    if rules.moon != "off" and (rules.omnibus != "off" or rules.hooligan):
        yield "apart"


def _tips(rules: RuleSet) -> Iterator[str]:
    yield "title"
    if passes(rules):
        yield from ("pass_spades", "pass_void")
    yield from ("early", "low")
    yield "queen" if rules.packs == 1 else "queens"
    if cancels(rules):
        yield from ("cancel_low", "cancel_last")
        if rules.cancelled_trick == "carry":
            yield "carried"
    elif rules.packs > 1:
        yield "later"
    if rules.worked_out.kitty:
        yield "kitty_first" if rules.kitty_to == "first_trick" else "kitty_last"
    if has_joker(rules) and not low_card_leads(rules):
        yield "joker"
    if rules.omnibus != "off":
        yield "bonus"
    if rules.hooligan:
        yield "seven"
    if rules.moon != "off":
        yield "moon"


def _faq(rules: RuleSet) -> Iterator[str]:
    yield from ("title", "higher", "trump")
    if low_card_leads(rules):
        yield "queen_only_low"
    else:
        yield "queen_any" if rules.first_trick_points else "queen"
    if rules.hearts_must_break:
        yield "forced"
    if cancels(rules):
        yield from ("cancelled_points", "off_suit")
        if rules.cancelled_trick == "carry":
            yield "again"
    if low_card_leads(rules) and (rules.worked_out.added or rules.worked_out.removed):
        yield "low_card"
    if rules.omnibus != "off" or rules.moon in ("subtract", "choice", "auto"):
        yield "negative"
    if rules.moon != "off":
        if rules.omnibus != "off":
            yield "prize"
        if rules.hooligan:
            yield "seven"
    yield "illegal" if rules.revoke == "refuse" else "revoked"
