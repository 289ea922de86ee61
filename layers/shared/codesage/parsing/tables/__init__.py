"""One module per language, named as its row in `languages`, each holding a `TABLE`."""
