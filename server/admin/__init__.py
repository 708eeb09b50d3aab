"""`hearts-admin`: what an operator does to a running service, through its Redis.

Nothing here prints a token, the seed of a hand in play, or what anybody holds.
"""
