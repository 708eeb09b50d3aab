"""The commands of `hearts`, each module loaded only when one of its commands is used."""
