"""What all tests share: where compiled kernels are kept, how much Hypothesis tries, and the real documents."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

KERNELS = Path(__file__).parents[1] / "src" / "lookalike" / "kernels"
DATA = Path(__file__).parents[2] / "shared" / "data"

# Numba looks at a kernel's own file to see whether it has changed, not at those of the kernels it calls or inlines:
# give each state of the sources a cache of its own, or the tests may test what was there before.
sources = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(KERNELS.glob("*.py")))).hexdigest()
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"lookalike-kernels-{sources[:16]}"))

settings.register_profile("local", deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, database=None)
settings.register_profile("few", settings.get_profile("local"), derandomize=True, database=None, max_examples=5)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real documents beside the repository."""
    if not DATA.is_dir():
        pytest.skip(f"needs the documents in {DATA}")
    return DATA
