"""Items of a run, on disk: their features, fingerprints, band keys and ids."""
