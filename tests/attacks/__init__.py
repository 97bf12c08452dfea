"""Attacks on the server: each tries to break a promise of docs/attacks.md, and is itself tested."""
