"""pagelens measured beside its peers, in one run: see README.md here and docs/benchmarks.md."""
