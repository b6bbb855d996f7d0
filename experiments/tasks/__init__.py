"""The tasks of studies: what a run does with a method on a data set, and how it is scored."""
