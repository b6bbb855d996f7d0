"""The experiments: configs, runs, records, tables, and the command line that reproduces them.

Notebooks start from `experiments.study.Study`.
"""
