"""Pictures of a table: pure functions from the view to styled text. No I/O, no clock."""
