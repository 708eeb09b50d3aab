"""Test vectors of the fair deal, written from the rule book's last section alone: it imports nothing of the project.

    python tests/data/fair_deal_vectors.py > tests/data/fair-deal-vectors.json

Three secrets; nonces and none; 4, 8 and 11 players and a kitty; three hands each, the last seed of the chain as well.
"""

import hashlib
import hmac
import json


def sha(data):
    return hashlib.sha256(data).digest()


def pack_order(packs, added, removed):
    cards = []
    for suit in "CDSH":
        for rank in "023456789TJQKA":
            name = {"0C": "JK"}.get(rank + suit, rank + suit)
            copies = (added.count("JK") if name == "JK" else 0) if rank == "0" else packs
            cards += [name] * (copies - removed.count(name))
    return cards


def numbers(key):
    """Big-endian unsigned 64-bit words of hmac(key, "0"), hmac(key, "1"), ..."""
    i = 0
    while True:
        block = hmac.new(key, str(i).encode("ascii"), hashlib.sha256).digest()
        for start in (0, 8, 16, 24):
            word = 0
            for byte in block[start : start + 8]:
                word = word * 256 + byte
            yield word
        i += 1


def below(words, n):
    while True:
        word = next(words)
        if not word >= 2**64 - (2**64 % n):
            return word % n


def stream(seed, label, nonces):
    text = label + "\n" + "\n".join(nonces)
    return numbers(hmac.new(seed, text.encode("utf-8"), hashlib.sha256).digest())


def dealt(cards, players, each, dealer, seed, nonces):
    cards, words = list(cards), stream(seed, "hearts-deal/1", nonces)
    i = len(cards) - 1
    while i >= 1:
        j = below(words, i + 1)
        cards[i], cards[j] = cards[j], cards[i]
        i -= 1
    hands = [[] for _ in range(players)]
    for t in range(players * each):
        hands[(dealer + 1 + t) % players].append(cards[t])
    return hands, cards[players * each :]


def vector(secret, players, packs, added, removed, nonces, deck="exact"):
    chain = [bytes.fromhex(secret)]
    while len(chain) <= 512:
        chain.append(sha(chain[-1]))
    cards = pack_order(packs, added, removed)
    each = len(cards) // players
    first = below(stream(chain[511], "hearts-dealer/1", nonces), players)
    hands = []
    for k in (1, 2, 3, 512):
        dealer = (first + k - 1) % players
        cards_of, kitty = dealt(cards, players, each, dealer, chain[512 - k], nonces)
        order = {card: place for place, card in enumerate(dict.fromkeys(cards))}
        hands.append(
            {
                "number": k,
                "seed": chain[512 - k].hex(),
                "dealer": dealer,
                "hands": [" ".join(sorted(hand, key=order.get)) for hand in cards_of],
                "kitty": " ".join(sorted(kitty, key=order.get)),
            }
        )
    return {
        "players": players,
        "packs": packs,
        "deck": deck,
        "nonces": nonces,
        "secret": secret,
        "commitment": chain[512].hex(),
        "deals": hands,
    }


SECRETS = ["00" * 32, "ff" * 32, sha(b"a secret of the fair deal's test vectors").hex()]
TABLES = [
    (4, 1, [], []),
    (8, 2, ["JK"], ["2C"]),
    (11, 2, [], ["2C", "2D", "2D", "2S", "2S"]),
    (11, 3, [], ["2C", "2C"]),
]


def main():
    vectors = []
    for secret in SECRETS:
        for players, packs, added, removed in TABLES:
            for nonces in ([""] * players, [("", "ada", "x y", "~" * 64)[seat % 4] for seat in range(players)]):
                vectors.append(vector(secret, players, packs, added, removed, nonces))
        vectors.append(vector(secret, 9, 2, [], [], [""] * 9, "kitty"))
    print(json.dumps({"about": __doc__.split("\n")[0], "vectors": vectors}, indent=1))


if __name__ == "__main__":
    main()
