ALTER TABLE campaign ADD COLUMN population TEXT

ALTER TABLE units ADD COLUMN feedback TEXT
