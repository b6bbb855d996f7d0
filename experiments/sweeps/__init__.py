"""Sweeps: one notebook run for each point of a grid of parameters, spread over processes or a Dask cluster."""
