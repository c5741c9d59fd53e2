"""Who answers a rubric. One file a judge."""
