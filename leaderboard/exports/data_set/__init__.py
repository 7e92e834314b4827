"""The whole public data set: its tables, the files made of them, and which files are the current ones."""
