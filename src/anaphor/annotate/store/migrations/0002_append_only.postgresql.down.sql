DROP TRIGGER journal_keeps ON journal

DROP TRIGGER decisions_keeps ON decisions

DROP TRIGGER audit_keeps ON audit

DROP FUNCTION anaphor_append_only()
