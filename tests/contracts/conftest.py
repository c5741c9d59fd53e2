"""What the contract tests are given."""

from conftest_stores import open_store as open_store
