"""Helpers that tests share. None of them is a test, and none but these is imported across test modules."""
