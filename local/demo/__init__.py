"""A released package -> a tour of the service: indexed through a webhook, searched, changed, searched again.

sdist ─> package (a git repository) ─> local.stack ─> tour ─> a person
"""
