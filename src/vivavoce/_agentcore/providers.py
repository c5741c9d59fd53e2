"""Where datasets come from."""

from __future__ import annotations

import io
import warnings
from abc import ABC, abstractmethod
from os import PathLike, fspath

from vivavoce._agentcore.dataset import Dataset


class DatasetProvider(ABC):
    """Somebody who has a dataset."""

    @abstractmethod
    def get_dataset(self) -> Dataset:
        """The dataset."""


class FileDatasetProvider(DatasetProvider):
    """A file of scenarios, in any layout that the format `agentcore` reads."""

    def __init__(self, file_path: str | PathLike[str]) -> None:
        self._path = fspath(file_path)

    def get_dataset(self) -> Dataset:
        """The file's scenarios.

        Raises:
            DatasetError: it has problems; all of them are told.
            UsageError: it cannot be read at all.
        """
        from vivavoce.core.place import Problems
        from vivavoce.core.source import Source
        from vivavoce.formats.agentcore import AgentCore

        problems, out = Problems(), io.StringIO()
        suite = AgentCore().read(Source(self._path), problems)
        AgentCore().write(suite, out)
        problems.raise_any()
        for warning in problems.warnings:
            warnings.warn(str(warning), stacklevel=2)
        return Dataset.model_validate_json(out.getvalue())
