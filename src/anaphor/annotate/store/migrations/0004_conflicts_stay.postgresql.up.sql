CREATE TRIGGER conflicts_keeps
BEFORE UPDATE OF id, assignment, person, request, at, version, content, seconds OR DELETE OR TRUNCATE ON conflicts
FOR EACH STATEMENT EXECUTE FUNCTION anaphor_append_only()
