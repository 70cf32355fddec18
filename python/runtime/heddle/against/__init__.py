"""Compares compiled models with other engines: python -m heddle.against. This package shares no code with Heddle's
importers, so it also finds errors in the importers."""
