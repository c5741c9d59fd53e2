"""Evidence to verdict. One file a family; what only a judge can say is a text file in rubrics/."""
