"""How an index is kept on disk: a SQLite database, files of columns, checksums, and the writer's lock."""
