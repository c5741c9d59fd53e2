"""What the contract tests are given."""

from conftest_stores import database as database
from conftest_stores import open_store as open_store
from conftest_stores import postgres as postgres
from conftest_stores import store_use as store_use
