"""One machine: threads over kernels, columns on disk."""
