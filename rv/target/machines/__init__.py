"""What processors can do, one file a core: `rv.target.description` reads them. Every number has its source in the file."""
