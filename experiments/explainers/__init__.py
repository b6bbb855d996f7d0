"""One adapter an explainer of forests, behind one small protocol; `experiments.methods` lists them by name."""
