ALTER TABLE assignments ADD COLUMN overall_label TEXT

ALTER TABLE assignments ADD COLUMN pronoun_label TEXT

ALTER TABLE assignments ADD COLUMN antecedent_label TEXT

CREATE INDEX items_place ON items (place)
