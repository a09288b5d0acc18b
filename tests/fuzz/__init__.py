"""Random loop nests through the whole pipeline, compared with gcc bit for bit (`python -m tests.fuzz --seconds 600`)."""
