"""Agents under test. One file a way of speaking to one."""
