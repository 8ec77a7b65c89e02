DROP TABLE conflicts
