"""The table as one pure aggregate: its seats, its clock and the game played at it.

`decide` turns actions and duties into events, `evolve` folds them, `duties` says what falls due and when, `view` and
`told` show one seat what it may know. Time comes in as milliseconds since 1970; nothing here reads a clock.
"""
