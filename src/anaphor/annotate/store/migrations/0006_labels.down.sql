DROP INDEX items_place

ALTER TABLE assignments DROP COLUMN antecedent_label

ALTER TABLE assignments DROP COLUMN pronoun_label

ALTER TABLE assignments DROP COLUMN overall_label
