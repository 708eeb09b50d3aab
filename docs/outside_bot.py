"""A bot that plays Hearts over the HTTP API to the end of a game: python outside_bot.py SERVER TABLE [NAME]"""

import json
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen


class Bot:
    def __init__(self, server, table, name="Outsider"):
        self.url, self.headers = server.rstrip("/") + "/v1", {"Content-Type": "application/json"}
        self.headers["Authorization"] = "Bearer " + json.load(self.open("/players", {"name": name}))["token"]
        self.table = f"/tables/{table}"

    def open(self, path, body=None, **headers):
        data = None if body is None else json.dumps(body).encode()
        return urlopen(Request(self.url + path, data, self.headers | headers), timeout=60)

    def play(self):
        self.open(self.table + "/actions", {"action": "join"})
        for _ in self.open(self.table + "/events", Accept="application/x-ndjson"):  # a line an event: look, and act
            view = json.load(self.open(self.table))
            while action := self.choose(view["hand"], view["me"]):
                try:
                    view = json.load(self.open(self.table + "/actions", action))
                except HTTPError as refused:  # 409: the table moved on meanwhile, the next line tells how
                    if refused.code != 409:
                        raise
                    break
            if view["table"]["phase"] == "over":
                return view["result"]
        return None

    def choose(self, hand, me):
        if "pass" in me["can"]:
            return {"action": "pass", "cards": sorted(me["cards"], key=rank)[-hand["pass"]["count"] :]}
        if "moon" in me["can"]:
            return {"action": "moon", "choice": "add"}
        if "play" in me["can"]:
            return {"action": "play", "card": self.card(hand["trick"], me["legal"]), "turn": hand["turn_number"]}
        return None

    def card(self, trick, legal):
        if not trick or suit(legal[0]) != suit(trick[0]["card"]):  # lead the least feared, throw the most feared card
            return (max if trick else min)(legal, key=lambda card: (card == "QS", suit(card) == "H", rank(card)))
        best = max((rank(play["card"]) for play in trick if play["winning"]), default=-1)
        return max([card for card in legal if rank(card) < best] or legal, key=rank)


def suit(card):
    return "C" if card == "JK" else card[1]  # the joker is the lowest club


def rank(card):
    return -1 if card == "JK" else "23456789TJQKA".index(card[0])


if __name__ == "__main__":
    print(Bot(*sys.argv[1:]).play())
