"""Writers of the pages, schemas and grammars of the checkout from declarations and docstrings in the sources."""
