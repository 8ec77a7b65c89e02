"""Making a campaign: which items are judged, by whom, and who may enter."""
