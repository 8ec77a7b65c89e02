"""Files of any content: written whole or not at all, names and folders, compression, arrays."""
