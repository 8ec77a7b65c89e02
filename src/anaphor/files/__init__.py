"""Files of any content: atomic writing, names and folders, compression, arrays."""
