"""One adapter a method, behind one small protocol; `experiments.methods` lists them by name."""
