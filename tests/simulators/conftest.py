"""An endpoint of chat completions for each test, and an environment without keys."""

from conftest_models import models, no_variables

__all__ = ["models", "no_variables"]
