CREATE TABLE conflicts (
    id TEXT NOT NULL,
    assignment TEXT NOT NULL,
    person TEXT NOT NULL,
    request TEXT NOT NULL,
    at TEXT NOT NULL,
    version INTEGER NOT NULL,
    content TEXT NOT NULL,
    seconds FLOAT,
    resolved TEXT,
    PRIMARY KEY (id),
    CONSTRAINT conflicts_request UNIQUE (person, request),
    FOREIGN KEY (assignment) REFERENCES assignments (id),
    FOREIGN KEY (person) REFERENCES people (id)
)

CREATE INDEX conflicts_assignment ON conflicts (assignment)

CREATE INDEX conflicts_open ON conflicts (person, resolved)
