"""Holds compiled models against other engines: python -m heddle.against. Shares nothing with Heddle's importers."""
