DROP TRIGGER journal_keeps_update

DROP TRIGGER journal_keeps_delete

DROP TRIGGER decisions_keeps_update

DROP TRIGGER decisions_keeps_delete

DROP TRIGGER audit_keeps_update

DROP TRIGGER audit_keeps_delete
