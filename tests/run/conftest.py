"""An endpoint of chat completions for each test that wants one."""

from conftest_models import models

__all__ = ["models"]
