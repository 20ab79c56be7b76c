"""What a run uses of the machine: threads, temporary columns on disk, and a clock for whoever watches."""
