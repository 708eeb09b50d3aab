"""The command-line client: shows what a server says and sends what a person decides."""
