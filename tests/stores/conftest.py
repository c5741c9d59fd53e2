"""What tests of stores are given."""

from conftest_stores import database as database
from conftest_stores import postgres as postgres
