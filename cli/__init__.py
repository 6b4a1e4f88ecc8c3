"""The command line: one file a command; it uses nothing but the library."""
