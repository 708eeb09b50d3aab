"""The computer players: they take empty seats, stand in for the absent and give hints.

A bot knows what its seat knows, a `rules.view.Seen`, and answers with the command a person would give.
"""

from server.bots.hints import Hint, hint
from server.bots.player import LEVELS, Choice, Level, choose
from server.bots.pool import Bots

__all__ = ["LEVELS", "Bots", "Choice", "Hint", "Level", "choose", "hint"]
