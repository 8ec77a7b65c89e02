DROP INDEX answers_remarked
