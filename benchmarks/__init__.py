"""Speed and memory against stated bounds: ``python -m benchmarks``."""
