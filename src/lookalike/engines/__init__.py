"""Engines carry out a plan: `local` on one machine."""
