"""The tests keep to their own rules: they mirror the source, and one profile says how properties are tried."""

from __future__ import annotations

import re


def test_every_layer_has_a_folder_of_tests(root):
    layers = {path.name for path in (root / "src" / "vivavoce").iterdir() if (path / "__init__.py").is_file()}
    tested = {path.name for path in (root / "tests").iterdir() if any(path.glob("**/test_*.py"))}
    # A kind whose plugins differ in nothing but how they keep its contract is tested by that alone.
    held = {path.stem.removeprefix("test_") for path in (root / "tests" / "contracts").glob("test_*.py")}
    assert layers - tested - held == set()


def test_one_profile_says_how_properties_are_tried(texts):
    own = [
        name
        for name, text in texts
        if name.startswith("tests/") and name not in ("tests/conftest.py", "tests/shape/test_tests.py")
        if re.search(r"\bsettings\([^)]*deadline=|HealthCheck\.too_slow|derandomize=", text)
    ]
    assert own == []
