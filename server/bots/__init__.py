"""Computer players: they see what their seat may know and choose a command."""
