"""Compares compiled models with other engines: python -m heddle.against. This package shares no code with Heddle's
importers, so that it also finds errors of the importers."""
