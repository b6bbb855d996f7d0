"""The command line ``mlrx``: rules learned from a file, predictions, explanations of a forest."""
