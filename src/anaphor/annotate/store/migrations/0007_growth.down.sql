ALTER TABLE units DROP COLUMN feedback

ALTER TABLE campaign DROP COLUMN population
