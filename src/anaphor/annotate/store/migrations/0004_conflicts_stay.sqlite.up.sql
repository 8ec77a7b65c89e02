CREATE TRIGGER conflicts_keeps_update
BEFORE UPDATE OF id, assignment, person, request, at, version, content, seconds ON conflicts
BEGIN SELECT RAISE(ABORT, 'conflicts is append-only'); END

CREATE TRIGGER conflicts_keeps_delete BEFORE DELETE ON conflicts
BEGIN SELECT RAISE(ABORT, 'conflicts is append-only'); END
