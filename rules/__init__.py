"""Hearts for 3 to 11 players as pure functions over frozen values: no clock, no randomness, no I/O."""
