DROP TRIGGER conflicts_keeps ON conflicts
