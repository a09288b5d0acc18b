"""What users give for the runs of their functions: sizes, lengths and ranges of what is invented, or the arguments themselves."""
