"""Random P-LLVM functions through every stage: what they mean stays the same (`python -m tests.stages --seconds 600`)."""
