"""Results and kept rows -> files, written completely or not at all."""
