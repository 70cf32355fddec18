"""Compares compiled models with other engines: python -m heddle.against. It shares no code with Heddle's importers."""
