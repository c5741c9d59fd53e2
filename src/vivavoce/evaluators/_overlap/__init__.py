"""Words, stems, synonyms and counts as the metrics of overlapping words need them."""
