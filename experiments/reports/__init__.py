"""Tables and pages that are made of finished records."""
