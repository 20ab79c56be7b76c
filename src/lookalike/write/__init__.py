"""Outputs: atomic files, formats."""
