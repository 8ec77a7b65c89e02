DROP TABLE own_tags

DROP TABLE journal

DROP TABLE answers

DROP TABLE decisions

DROP TABLE assignments

DROP TABLE units

DROP TABLE sessions

DROP TABLE links

DROP TABLE items

DROP TABLE texts

DROP TABLE systems

DROP TABLE people

DROP TABLE documents

DROP TABLE campaign

DROP TABLE audit

DROP TABLE schema_version
